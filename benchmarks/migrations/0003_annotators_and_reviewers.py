"""The groups "annotators" and "reviewers". Permissions are only made after all migrations, so those of the groups are
made here; what Django makes afterwards finds them. Members must also be staff to enter the admin."""

from django.db import migrations

LOOK = [("view", "benchmarks", model) for model in ("figure", "figureimage", "question", "description", "reference")]
WRITE = [
    ("add", "benchmarks", "description"),
    ("change", "benchmarks", "description"),
    ("add", "benchmarks", "reference"),
]
GROUPS = {
    "annotators": [*LOOK, *WRITE],
    "reviewers": [*LOOK, *WRITE, ("approve", "benchmarks", "description")],
}
NAMES = {"approve_description": "Can approve descriptions and send them back"}
MODEL_NAMES = {"figureimage": "figure image"}


def make_groups(apps, schema_editor):
    content_type = apps.get_model("contenttypes", "ContentType")
    permission = apps.get_model("auth", "Permission")
    group = apps.get_model("auth", "Group")
    for name, wanted in GROUPS.items():
        members, _ = group.objects.get_or_create(name=name)
        for action, app, model in wanted:
            of, _ = content_type.objects.get_or_create(app_label=app, model=model)
            codename = f"{action}_{model}"
            about = NAMES.get(codename, f"Can {action} {MODEL_NAMES.get(model, model)}")
            found, _ = permission.objects.get_or_create(content_type=of, codename=codename, defaults={"name": about})
            members.permissions.add(found)


def remove_groups(apps, schema_editor):
    apps.get_model("auth", "Group").objects.filter(name__in=GROUPS).delete()


class Migration(migrations.Migration):
    dependencies = [
        ("benchmarks", "0002_description_reviews"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("contenttypes", "0002_remove_content_type_name"),
    ]

    operations = [migrations.RunPython(make_groups, remove_groups)]
