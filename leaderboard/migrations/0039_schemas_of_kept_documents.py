from django.db import migrations

import leaderboard.models.kept

KEPT = (
    "boardedition",
    "boardsnapshot",
    "judgecomparison",
    "judgerecord",
    "questionstatistics",
    "scoresheet",
    "studyreport",
)


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0038_changes_of_no_benchmark")]

    operations = [
        migrations.AddField(
            model_name=name,
            name="schema",
            field=leaderboard.models.kept.SchemaField(db_default=1, default=1, editable=False),
        )
        for name in KEPT
    ]
