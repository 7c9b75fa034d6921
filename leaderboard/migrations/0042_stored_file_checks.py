from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0041_clocks_and_files")]

    operations = [
        migrations.CreateModel(
            name="FileCheck",
            fields=[
                ("kind", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("last", models.CharField(blank=True, max_length=40)),
                ("next_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="DamagedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=20)),
                ("name", models.CharField(max_length=100)),
                (
                    "fault",
                    models.CharField(help_text="missing, damaged or unreadable", max_length=10),
                ),
                ("looked", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "name"), name="damaged_file_once")
                ],
            },
        ),
    ]
