"""Of judgements, an index by key without the second one that PostgreSQL gets for LIKE, and one of
those taken over alone.

Indexes are dropped and made as they are: SQLite would make the table anew, without its guards.
"""

import django.db.models.deletion
from django.db import migrations, models

INDEXED = (
    ("Judgement", "content_key"),
    ("Judgement", "reused_from"),
    ("EarlierVerdict", "content_key"),
)


def indexes_of(schema_editor, model, column):
    with schema_editor.connection.cursor() as cursor:
        found = schema_editor.connection.introspection.get_constraints(cursor, model._meta.db_table)
    return [
        name
        for name, one in found.items()
        if one["index"] and not one["unique"] and one["columns"] == [column]
    ]


def drop_indexes(apps, schema_editor):
    for model_name, field_name in INDEXED:
        model = apps.get_model("judging", model_name)
        column = model._meta.get_field(field_name).column
        for name in indexes_of(schema_editor, model, column):
            schema_editor.execute(schema_editor._delete_index_sql(model, name))


def make_indexes(apps, schema_editor):
    for model_name, field_name in INDEXED:
        model = apps.get_model("judging", model_name)
        for statement in schema_editor._field_indexes_sql(model, model._meta.get_field(field_name)):
            schema_editor.execute(statement)


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0018_runs_in_order'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop_indexes, make_indexes)],
            state_operations=[
                migrations.AlterField(
                    model_name='judgement',
                    name='content_key',
                    field=models.CharField(max_length=64),
                ),
                migrations.AlterField(
                    model_name='judgement',
                    name='reused_from',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='judging.judgement'),
                ),
                migrations.AlterField(
                    model_name='earlierverdict',
                    name='content_key',
                    field=models.CharField(max_length=64),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name='judgement',
            index=models.Index(fields=['content_key'], name='judgement_content_key'),
        ),
        migrations.AddIndex(
            model_name='judgement',
            index=models.Index(condition=models.Q(('reused_from__isnull', False)), fields=['reused_from'], name='judgement_reused_from'),
        ),
        migrations.AddIndex(
            model_name='earlierverdict',
            index=models.Index(fields=['content_key'], name='earlier_verdict_content_key'),
        ),
    ]
