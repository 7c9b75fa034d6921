from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import Count, F


def count_apart(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Until now scoresheets counted what people left out as failed. Sheets older than an exclusion are made anew."""
    left_out = apps.get_model("judging", "Judgement").objects.filter(
        state="excluded", settled__lt=F("run__scoresheet__computed")
    )
    sheets = apps.get_model("leaderboard", "Scoresheet").objects
    for run, rows in left_out.order_by().values_list("run").annotate(rows=Count("pk")):
        sheets.filter(run=run).update(excluded=rows, failed=F("failed") - rows)


def count_together(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    sheets = apps.get_model("leaderboard", "Scoresheet").objects
    sheets.update(failed=F("failed") + F("excluded"))


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0002_worker_beat'),
        ('judging', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='scoresheet',
            name='excluded',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(count_apart, count_together),
    ]
