"""Apart from the columns: PostgreSQL makes their indexes at the end of a migration, of rows that nothing holds."""

from django.db import migrations

from benchmarks.submissions.naming.slugs import free_slug

AT_ONCE = 1000


def write_slugs(apps, schema_editor):
    """Of the models there are, the oldest first: of two that would have one slug the later has a number."""
    models = apps.get_model("submissions", "EvaluatedModel").objects
    taken, changed = set(), []
    for model in models.filter(slug=None).only("name").order_by("pk").iterator(chunk_size=AT_ONCE):
        model.slug = free_slug(model.name, taken.intersection)
        taken.add(model.slug)
        changed.append(model)
    models.bulk_update(changed, ["slug"], batch_size=AT_ONCE)


class Migration(migrations.Migration):

    dependencies = [("submissions", "0012_model_pages")]

    operations = [migrations.RunPython(write_slugs, migrations.RunPython.noop)]
