from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0042_stored_file_checks'),
    ]

    operations = [
        migrations.AddField(
            model_name='scoresheet',
            name='answers_digest',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AddField(
            model_name='scoresheet',
            name='verdicts_digest',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
    ]
