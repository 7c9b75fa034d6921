from django.db import migrations


class Migration(migrations.Migration):
    """Sites of before learned by it that they have to migrate: every migrate installs the triggers, once all columns
    are there that today's name."""

    dependencies = [
        ('panel', '0003_studies'),
    ]

    operations = []
