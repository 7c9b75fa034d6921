"""A release says how much of its labels everybody may learn, in one of three levels. One whose references were hidden is
a hidden test from now on: verdicts on single answers told its labels."""

from django.db import migrations, models

import benchmarks.models


def levels(apps, schema_editor):
    releases = apps.get_model("benchmarks", "Release").objects
    for key, is_public in releases.values_list("pk", "references_are_public"):
        # Once each: of a row that it changed twice PostgreSQL looks at the foreign keys in the end, and until then no
        # column of the table goes.
        releases.filter(pk=key).update(
            disclosure="open" if is_public else "hidden_test", rounding_secret=benchmarks.models.new_secret()
        )


def as_before(apps, schema_editor):
    releases = apps.get_model("benchmarks", "Release").objects
    releases.filter(disclosure="open").update(references_are_public=True)


class Migration(migrations.Migration):
    # leaderboard/results/versions/older_code.py
    ends_older_code = "asks releases for a column that is gone"
    dependencies = [("benchmarks", "0022_next_releases")]

    operations = [
        migrations.AddField(
            model_name="release",
            name="disclosure",
            field=models.CharField(
                choices=[
                    ("open", "open"),
                    ("hidden_references", "hidden references"),
                    ("hidden_test", "hidden test"),
                ],
                default="hidden_test",
                db_default="hidden_test",
                max_length=20,
            ),
        ),
        migrations.AddField(
            model_name="release",
            name="rounding_secret",
            field=models.CharField(default=benchmarks.models.new_secret, editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="release",
            name="rounding_share",
            field=models.FloatField(editable=False, null=True),
        ),
        migrations.RunPython(levels, as_before),
        migrations.RemoveField(model_name="release", name="references_are_public"),
    ]
