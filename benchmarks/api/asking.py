"""What every view of the API makes of what it is asked: nothing is dropped without a word, and a
refusal repeats what was asked for."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, NoReturn, TypeVar

from django.db.models import Model, QuerySet
from django.http import QueryDict
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request

Row = TypeVar("Row", bound=Model)
SHOWN_LETTERS = 60
"""Of what somebody sent, where a refusal repeats it: longer than any name of ours."""
SHOWN_FIELDS = 10
"""Of the unknown fields of a request: more are no slips of the pen."""

ETAGS = [
    OpenApiParameter(
        "If-None-Match", str, OpenApiParameter.HEADER, description="The `ETag` of an earlier answer"
    ),
    OpenApiParameter(
        "If-Match", str, OpenApiParameter.HEADER, description="The `ETag` it must still have"
    ),
]
CONDITIONAL = {
    304: OpenApiResponse(description="Unchanged since the `ETag` in If-None-Match."),
    412: OpenApiResponse(description="Changed since the `ETag` in If-Match."),
}
tagged = method_decorator([cache_control(no_cache=True), conditional_page], name="dispatch")
"""A view that anybody may read the same of: its answers have an ETag, and are sent once to whoever
asks with it."""


def as_shown(sent: object) -> str:
    """What was sent, short enough to be repeated."""
    text = str(sent).replace("\0", "␀")
    return text if len(text) <= SHOWN_LETTERS else text[: SHOWN_LETTERS - 1] + "…"


def unknown_names(
    sent: Iterable[str], known: Collection[str], what: str = "field"
) -> dict[str, list[str]]:
    """A sentence for each name that is none of ours: one that is misspelt must not be dropped
    without a word."""
    unknown = [name for name in sent if name not in known]
    there_are = f"There are: {', '.join(known)}." if known else "There are none here."
    sentence = f"There is no such {what}. {there_are}"
    return {as_shown(name): [sentence] for name in unknown[:SHOWN_FIELDS]}


def sentences_with_values(errors: Mapping[str, Any], sent: Any) -> dict[str, list[str]]:
    """The sentences of `errors`, each with what was sent where it does not repeat it."""
    found = {}
    for name, sentences in errors.items():
        messages, value = sentences_in(sentences), sent.get(name)
        if isinstance(value, str) and value and not any(as_shown(value) in one for one in messages):
            messages[-1] += f" “{as_shown(value)}” was sent."
        found[name] = messages
    return found


def sentences_in(errors: Any) -> list[str]:
    """The sentences of one field; those of a list come by the places in it that are wrong."""
    if isinstance(errors, Mapping):
        return [
            f"At place {place + 1}: {sentence}"
            for place, sentences in errors.items()
            for sentence in sentences_in(sentences)
        ]
    return [str(sentence) for sentence in errors]


def repeated_names(sent: object, known: Collection[str]) -> dict[str, list[str]]:
    """A sentence for each name that came more than once: only one of its values could count."""
    if not isinstance(sent, QueryDict):  # an empty body is none
        return {}
    repeated = [name for name, values in sent.lists() if name in known and len(values) > 1]
    return {name: ["Send it once."] for name in repeated}


class ChoiceField(serializers.ChoiceField):
    """Refuses what is no choice with those there are."""

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        if key == "invalid_choice":
            there_are = ", ".join(str(choice) for choice in self.choices)
            sentence = f"“{as_shown(kwargs['input'])}” is none of: {there_are}."
            raise ValidationError(sentence, code=key)
        super().fail(key, **kwargs)


class StrictQuery:
    """A view whose query holds the fields of `query`, the place in its list, and nothing else, each
    of them once."""

    query: type[serializers.Serializer[Any]] | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)  # type: ignore[misc]  # an APIView's
        known = list(self.query().fields) if self.query else []
        if getattr(self, "pagination_class", None):
            known.append("cursor")
        errors = unknown_names(request.query_params, known, "parameter")
        if errors := {**errors, **repeated_names(request.query_params, known)}:
            raise ValidationError(errors)

    def asked(self, request: Request) -> dict[str, Any]:
        """The query as `query` reads it; a malformed one is refused with 400."""
        assert self.query is not None
        # as a plain mapping: of a form, an empty value would count as none at all
        read = self.query(data=request.query_params.dict())
        if not read.is_valid():
            raise ValidationError(sentences_with_values(read.errors, request.query_params))
        values: dict[str, Any] = read.validated_data
        return values


def not_yours(what: str, name: object, listed_at: str) -> NotFound:
    """What there may be, and is not to be seen by who asks."""
    return NotFound(
        f"There is no {what} “{as_shown(name)}” that you may see; /api/v1/{listed_at}/ lists what "
        "there is."
    )


def named_or_404(rows: QuerySet[Row], what: str, listed_at: str, **name: Any) -> Row:
    """The row of that name. Raises NotFound, which says what was asked for and where those that
    there are stand."""
    (value,) = name.values()
    found = None if "\0" in str(value) else rows.filter(**name).first()
    if found is None:
        raise NotFound(
            f"There is no {what} “{as_shown(value)}”; /api/v1/{listed_at}/ lists those there are."
        )
    return found
