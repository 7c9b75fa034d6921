"""Rows that keep documents for pages, which workers of another version of the code may have
written: while a site is updated, and after going back."""

from typing import ClassVar, Self, TypeVar

from django.db import models

T = TypeVar("T", bound="KeptDocument")


class SchemaField(models.SmallIntegerField):  # type: ignore[type-arg]
    """Whoever saves a row says by which schema: the one that the code writes."""

    def pre_save(self, model_instance: models.Model, add: bool) -> int:
        assert isinstance(model_instance, KeptDocument)
        newest = model_instance.SCHEMAS[-1]
        model_instance.schema = newest
        return newest


class ReadableManager(models.Manager[T]):
    """Without what is written by a schema that this code does not know: it is as if it had not been
    made yet, and is made again by whoever knows it."""

    def get_queryset(self) -> models.QuerySet[T]:
        return super().get_queryset().filter(self.model.is_readable())


class KeptDocument(models.Model):
    """SCHEMAS: those that this code reads, the last of which it writes. A document that only grows
    at its ends keeps its number (benchmarks/kept_documents.py); any other change of it takes the
    next one. Pages read `objects`; what writes rows asks `of_any_schema`, or would make a second
    one of the same."""

    SCHEMAS = range(1, 2)

    schema = SchemaField(default=1, db_default=1, editable=False)

    objects: ClassVar[ReadableManager[Self]] = ReadableManager()
    of_any_schema: ClassVar[models.Manager[Self]] = models.Manager()

    class Meta:
        abstract = True

    @classmethod
    def is_readable(cls, where: str = "") -> models.Q:
        """where: the path to the row, for rows that are read by way of others."""
        known = {"gte": cls.SCHEMAS[0], "lte": cls.SCHEMAS[-1]}
        return models.Q(**{f"{where}schema__{end}": number for end, number in known.items()})
