"""Reviewers ask annotators to describe certain figures."""

from django.db import migrations

GROUP, CODENAME = "reviewers", "assign_figure"


def grant(apps, schema_editor):
    """Permissions are only made after all migrations, so this one is made here; what Django makes afterwards finds it."""
    of, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="benchmarks", model="assignment"
    )
    found, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=of, codename=CODENAME, defaults={"name": "Can assign figures to annotators"}
    )
    group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=GROUP)
    group.permissions.add(found)


def take_back(apps, schema_editor):
    found = apps.get_model("auth", "Permission").objects.filter(codename=CODENAME)
    for group in apps.get_model("auth", "Group").objects.filter(name=GROUP):
        group.permissions.remove(*found)


class Migration(migrations.Migration):
    dependencies = [
        ("benchmarks", "0014_claims_and_assignments"),
        ("benchmarks", "0003_annotators_and_reviewers"),
    ]

    operations = [migrations.RunPython(grant, take_back)]
