from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0039_schemas_of_kept_documents")]

    operations = [
        migrations.CreateModel(
            name="EndOfOlderCode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "migration",
                    models.CharField(help_text="app.name", max_length=200, unique=True),
                ),
                ("reason", models.TextField(help_text="What older code does wrong, after “it”")),
            ],
        ),
    ]
