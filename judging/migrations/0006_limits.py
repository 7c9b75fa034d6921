from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0005_review'),
    ]

    operations = [
        migrations.AddField(
            model_name='endpoint',
            name='recent_tokens',
            field=models.JSONField(default=dict, help_text='Of the last minute, by grains of their starts'),
        ),
        migrations.AddField(
            model_name='seat',
            name='wanted',
            field=models.PositiveIntegerField(default=0),
        ),
    ]
