"""What changed answers would cost an entry is computed and kept no more."""

from django.db import migrations


class Migration(migrations.Migration):
    # leaderboard/results/versions/older_code.py
    ends_older_code = "reads and writes a column of scoresheets that is gone"
    dependencies = [
        ("leaderboard", "0035_moderators_run_studies"),
    ]

    operations = [
        migrations.RemoveField(model_name="scoresheet", name="losses"),
        migrations.RemoveField(model_name="boardsnapshot", name="losses"),
    ]
