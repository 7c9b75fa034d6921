from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("benchmarks", "0008_absent_pictures")]

    operations = [
        migrations.AddIndex(
            model_name="description",
            index=models.Index(fields=["state", "figure", "language"], name="description_state"),
        ),
    ]
