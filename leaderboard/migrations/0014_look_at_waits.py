from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0013_rows_say_when_they_were_scored")]

    operations = [
        migrations.CreateModel(
            name="LookAtWaits",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("next_at", models.DateTimeField()),
            ],
        ),
    ]
