from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0008_canary")]

    operations = [
        migrations.AddField(
            "judgespec",
            "answers_as",
            models.CharField(
                blank=True,
                db_default="",
                help_text="The model the endpoint must report; empty: any one",
                max_length=100,
            ),
        ),
    ]
