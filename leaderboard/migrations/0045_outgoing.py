"""Mails and deliveries have their times and tries in common, and operators are told in the
transaction that notes it."""

from django.db import migrations, models
from django.db.models.functions import Now


def forget_untold(apps, schema_editor):
    """What operators were not told of is told by the next sweep."""
    apps.get_model("leaderboard", "OperatorNotice").objects.filter(told=None).delete()


def mark_told(apps, schema_editor):
    apps.get_model("leaderboard", "OperatorNotice").objects.update(told=Now())


class Migration(migrations.Migration):
    # leaderboard/results/versions/older_code.py
    ends_older_code = "reads and writes columns of notices and deliveries that are gone"
    dependencies = [
        ('leaderboard', '0044_notices_of_reports'),
    ]

    operations = [
        migrations.RunPython(forget_untold, mark_told),
        migrations.RemoveIndex(
            model_name='webhookdelivery',
            name='deliveries_due',
        ),
        migrations.RemoveField(
            model_name='operatornotice',
            name='next_try',
        ),
        migrations.RemoveField(
            model_name='operatornotice',
            name='told',
        ),
        migrations.RemoveField(
            model_name='webhookdelivery',
            name='ended',
        ),
        migrations.AlterField(
            model_name='outgoingmail',
            name='created',
            field=models.DateTimeField(db_default=Now(), db_index=True),
        ),
        migrations.AlterField(
            model_name='outgoingmail',
            name='next_try',
            field=models.DateTimeField(db_index=True, null=True),
        ),
        migrations.AlterField(
            model_name='outgoingmail',
            name='tries',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AlterField(
            model_name='webhookdelivery',
            name='next_try',
            field=models.DateTimeField(db_index=True, null=True),
        ),
    ]
