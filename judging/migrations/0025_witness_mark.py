from contextlib import suppress

from django.conf import settings
from django.db import migrations, models
from django.db.models import Max


def begin(apps, schema_editor):
    """A new site in a folder that had another, or one that went back to the code before and comes
    again, is as new as the file says; one that was restored is not."""
    with suppress(OSError, ValueError):
        seen = (settings.VAR_DIR / "witness.txt").read_bytes()[:200].split()[:2]
        number, call = map(int, seen)
        calls = apps.get_model("judging", "JudgeCall").objects.aggregate(newest=Max("pk"))
        is_new = not apps.get_model("submissions", "Submission").objects.exists()
        if is_new or (calls["newest"] or 0) >= call:
            apps.get_model("judging", "WitnessMark").objects.create(pk=1, number=number)


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0024_large_runs"),
        ("submissions", "0019_fact_changes"),
    ]

    operations = [
        migrations.CreateModel(
            name="WitnessMark",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.RunPython(begin, migrations.RunPython.noop),
    ]
