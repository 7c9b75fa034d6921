"""Pages that are no boards are stored too, and some of what they show is of no benchmark."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0037_hidden_tests")]

    operations = [
        migrations.AlterField(
            model_name="boardchange",
            name="benchmark",
            field=models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="board_changes",
                to="benchmarks.benchmark",
            ),
        ),
    ]
