from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from judging.panel.immutability import install_rating_guards


def install(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Also done after every migrate; this one is there so that a site of before learns that it has to migrate."""
    install_rating_guards(schema_editor.connection.alias)


class Migration(migrations.Migration):

    dependencies = [
        ('panel', '0001_initial'),
    ]

    operations = [
        migrations.RunPython(install, migrations.RunPython.noop),
    ]
