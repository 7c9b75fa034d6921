"""Annotators propose corrected labels, and reviewers confirm them. What readers reported before waits in the queue."""

from django.db import migrations

GRANTED = {
    "annotators": (("view", "labeldoubt"), ("add", "labelcorrection")),
    "reviewers": (("view", "labeldoubt"), ("add", "labelcorrection"), ("confirm", "labelcorrection")),
}
NAMES = {
    "view_labeldoubt": "Can view label doubt",
    "add_labelcorrection": "Can add label correction",
    "confirm_labelcorrection": "Can confirm corrected labels and send them back",
}


def grant(apps, schema_editor):
    """Permissions are only made after all migrations, so these are made here; what Django makes afterwards finds them."""
    content_type = apps.get_model("contenttypes", "ContentType")
    permission = apps.get_model("auth", "Permission")
    for name, wanted in GRANTED.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        for action, model in wanted:
            of, _ = content_type.objects.get_or_create(app_label="benchmarks", model=model)
            codename = f"{action}_{model}"
            found, _ = permission.objects.get_or_create(
                content_type=of, codename=codename, defaults={"name": NAMES[codename]}
            )
            group.permissions.add(found)


def open_doubts(apps, schema_editor):
    """Questions that were reported before there was a queue of them are in it."""
    doubt = apps.get_model("benchmarks", "LabelDoubt")
    reported = apps.get_model("benchmarks", "QuestionReport").objects.filter(state="open")
    for question in reported.order_by("question").values_list("question", flat=True).distinct():
        doubt.objects.get_or_create(question_id=question)


def take_back(apps, schema_editor):
    models = ("labeldoubt", "labelcorrection")
    found = apps.get_model("auth", "Permission").objects.filter(content_type__model__in=models)
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GRANTED):
        group.permissions.remove(*found)


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0016_label_corrections"), ("benchmarks", "0012_who_answers_reports")]

    operations = [
        migrations.RunPython(grant, take_back),
        migrations.RunPython(open_doubts, migrations.RunPython.noop),
    ]
