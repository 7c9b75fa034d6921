"""Moderators may draw studies, invite their raters, and open, close and withdraw them."""

from django.db import migrations

MAY = ("add", "change", "view")


def grant(apps, schema_editor):
    """Permissions are only made after all migrations, so these are made here; what Django makes afterwards finds them."""
    of, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(app_label="panel", model="study")
    moderators, _ = apps.get_model("auth", "Group").objects.get_or_create(name="moderators")
    words = apps.get_model("panel", "study")._meta.verbose_name
    for what in MAY:
        found, _ = apps.get_model("auth", "Permission").objects.get_or_create(
            content_type=of,
            codename=f"{what}_study",
            defaults={"name": f"Can {what} {words}"},
        )
        moderators.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0034_notices_of_descriptions"),
        ("panel", "0004_study_guards"),
    ]

    # Backwards the permissions stay: people may have got used to them, and the group keeps its name.
    operations = [migrations.RunPython(grant, migrations.RunPython.noop)]
