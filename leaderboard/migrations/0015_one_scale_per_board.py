from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0014_look_at_waits")]

    operations = [
        migrations.AddField(
            model_name="boardedition", name="spans", field=models.JSONField(default=dict, null=True)
        ),
    ]
