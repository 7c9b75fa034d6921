"""Moderators may have judged again what stands by older texts."""

from django.db import migrations


def grant(apps, schema_editor):
    """Permissions are only made after all migrations, so this one is made here; what Django makes afterwards finds it."""
    of, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="judging", model="stalejudgement"
    )
    found, _ = apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=of,
        codename="rejudge_stale",
        defaults={"name": "Can have judged again what stands by older texts"},
    )
    moderators, _ = apps.get_model("auth", "Group").objects.get_or_create(name="moderators")
    moderators.permissions.add(found)


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0032_made_up_studies"),
        ("leaderboard", "0030_moderators_and_raters"),
        ("judging", "0022_stale_judgements"),
    ]

    operations = [migrations.RunPython(grant, migrations.RunPython.noop)]
