"""Annotators see what readers report of questions, and reviewers answer it."""

from django.db import migrations

GRANTED = {"annotators": ("view",), "reviewers": ("view", "change")}


def grant(apps, schema_editor):
    """Permissions are only made after all migrations, so these are made here; what Django makes afterwards finds them."""
    content_type = apps.get_model("contenttypes", "ContentType")
    permission = apps.get_model("auth", "Permission")
    of, _ = content_type.objects.get_or_create(app_label="benchmarks", model="questionreport")
    for name, actions in GRANTED.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=name)
        for action in actions:
            found, _ = permission.objects.get_or_create(
                content_type=of, codename=f"{action}_questionreport", defaults={"name": f"Can {action} question report"}
            )
            group.permissions.add(found)


def take_back(apps, schema_editor):
    found = apps.get_model("auth", "Permission").objects.filter(content_type__model="questionreport")
    for group in apps.get_model("auth", "Group").objects.filter(name__in=GRANTED):
        group.permissions.remove(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("benchmarks", "0011_question_report"),
        ("benchmarks", "0003_annotators_and_reviewers"),
    ]

    operations = [migrations.RunPython(grant, take_back)]
