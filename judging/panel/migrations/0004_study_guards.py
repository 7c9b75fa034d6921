from django.db import migrations

from judging.panel.immutability import install_rating_guards


def install(apps, schema_editor):
    """As in 0002."""
    install_rating_guards(schema_editor.connection.alias)


class Migration(migrations.Migration):

    dependencies = [
        ('panel', '0003_studies'),
    ]

    operations = [
        migrations.RunPython(install, migrations.RunPython.noop),
    ]
