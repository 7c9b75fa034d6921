"""Apart from the columns: PostgreSQL makes their indexes at the end of a migration, of rows that nothing holds."""

from django.db import migrations

from benchmarks.submissions.naming.lookalike_names import skeleton

AT_ONCE = 1000


def write_skeletons(apps, schema_editor):
    """Of the models there are. Those made from now on get theirs with their name."""
    models = apps.get_model("submissions", "EvaluatedModel").objects
    changed = []
    for model in models.only("name").order_by("pk").iterator(chunk_size=AT_ONCE):
        model.skeleton = skeleton(model.name)
        changed.append(model)
    models.bulk_update(changed, ["skeleton"], batch_size=AT_ONCE)


class Migration(migrations.Migration):

    dependencies = [("submissions", "0006_names_and_badges")]

    operations = [migrations.RunPython(write_skeletons, migrations.RunPython.noop)]
