from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0005_operator_notice'),
    ]

    operations = [
        migrations.AddField(
            model_name='scoresheet',
            name='scoring',
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
    ]
