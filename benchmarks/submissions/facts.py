"""What is said of a model. A fact is a column of EvaluatedModel named in `FACTS`: forms, the API,
pages, notes and exports take its name, title, help and bounds from the column."""

from decimal import Decimal
from typing import NamedTuple

from django.core.exceptions import FieldDoesNotExist
from django.db import models

from benchmarks.submissions.models import EvaluatedModel

FACTS = EvaluatedModel.FACTS
BY_API_NAME = {name.removeprefix("is_"): name for name in FACTS}
"""Columns by their names in documents of the API."""
RENAMED = {name: {"source": fact} for name, fact in BY_API_NAME.items() if name != fact}
"""For serializers, by the names in documents."""


class PrintedFact(NamedTuple):
    """`text` is empty where nothing was declared; `link` is where it leads."""

    title: str
    text: str
    link: str


def title_of(fact: str) -> str:
    """In words; a fact of before that there is no more is called by its name."""
    try:
        return str(EvaluatedModel._meta.get_field(fact).verbose_name)  # type: ignore[union-attr]  # no relation
    except FieldDoesNotExist:
        return fact


def fact_text(value: str | bool | Decimal | None) -> str:
    """The fact as pages and the model's history show it; empty where there is none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value or ""


def printed_facts(model: EvaluatedModel) -> list[PrintedFact]:
    found = [(name, getattr(model, name)) for name in FACTS]
    return [
        PrintedFact(
            title_of(name),
            fact_text(value) if value else "",
            value if isinstance(EvaluatedModel._meta.get_field(name), models.URLField) else "",
        )
        for name, value in found
    ]
