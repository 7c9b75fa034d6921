"""Which versions of a question's texts a judge reads, and which of those that were read are out of
date.

A version is out of date where its words are not those judged by today; the same words again, as
after a version was restored, are not. Texts that a judge does not read count nowhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from benchmarks.models import Description, Question, Reference, Release
from benchmarks.protocols.base import TextKind
from benchmarks.registry import protocol
from benchmarks.selectors import (
    Versions,
    corrections_in,
    description_versions,
    reference_versions,
)
from benchmarks.submissions.models import Answer
from judging.models import JudgedTexts, Judgement, JudgeSpec

Kinds = frozenset[TextKind]
EVERY_KIND: Kinds = frozenset({"reference", "description"})
NO_VERSIONS: Versions = {}
IN_ONE_QUERY = 5000  # primary keys in one list; SQLite takes 32,766 values in a statement


class TextIds(NamedTuple):
    """What a case was made of; None for what its judge does not read, or there was none of."""

    question: int
    description: int | None
    reference: int | None

    @property
    def key(self) -> str:
        return f"{self.question}/{self.description or 0}/{self.reference or 0}"


class Texts(NamedTuple):
    """Versions with their words, empty for none."""

    ids: TextIds
    description: str
    reference: str


def texts_read(spec: JudgeSpec) -> Kinds:
    prompts = None if spec.prompt_set is None else spec.prompt_set.texts
    return protocol(spec.protocol).judging.texts_read(prompts)


def todays_texts(answers: Sequence[Answer], kinds: Kinds) -> list[Texts]:
    """What a judge that reads these kinds is shown of each answer's question today, in order; of a
    closed release, what it was shown when that was closed.

    Needs `question` and `submission__release` selected."""
    if not answers:
        return []
    language = answers[0].submission.release.language
    moments = {answer.submission.release.closed for answer in answers}
    versions = {
        closed: versions_of(
            [answer for answer in answers if answer.submission.release.closed == closed],
            kinds,
            language,
            closed,
        )
        for closed in moments
    }
    found = []
    for answer in answers:
        references, descriptions = versions[answer.submission.release.closed]
        description, described = descriptions.get(answer.question.figure_id or 0, (None, ""))
        reference, referred = references.get(answer.question_id, (None, ""))
        ids = TextIds(answer.question_id, description, reference)
        found.append(Texts(ids, described, referred))
    return found


def versions_of(
    answers: Sequence[Answer], kinds: Kinds, language: str, as_of: datetime | None
) -> tuple[Versions, Versions]:
    """References by question and descriptions by figure, none of a kind that is not read."""
    figures = {answer.question.figure_id for answer in answers if answer.question.figure_id}
    references = descriptions = NO_VERSIONS
    if "reference" in kinds:
        references = reference_versions({answer.question_id for answer in answers}, as_of)
    if "description" in kinds and figures:
        descriptions = description_versions(figures, language, as_of)
    return references, descriptions


@dataclass(frozen=True, slots=True)
class Replacement:
    """What would be judged by if it were approved: a description of a figure, or a question's next
    reference."""

    figure: int | None = None
    description: str = ""
    question: int | None = None
    reference: str = ""


NONE: tuple[int | None, str] = (None, "")


class Suspect(NamedTuple):
    """Versions that were read, each with the primary key and the words of today's; 0 for one that
    is none yet."""

    description: int | None
    described: tuple[int | None, str]
    reference: int | None
    referred: tuple[int | None, str]

    @property
    def is_today(self) -> bool:
        return (self.description, self.reference) == (self.described[0], self.referred[0])


def outdated_texts(
    questions: QuerySet[Question],
    *,
    language: str,
    kinds: Kinds,
    replacement: Replacement | None = None,
    as_of: datetime | None = None,
) -> set[int]:
    """Those of the judged texts of these questions that judgements have and whose words are not
    today's, or not those of `replacement`; not those of then, with `as_of`. Looks at versions, and
    never at what was judged by today's."""
    instead = replacement or Replacement()
    rows = list(
        JudgedTexts.objects.filter(question__in=questions.order_by())
        .order_by("pk")
        .values_list("pk", "question", "question__figure", "description", "reference")
    )
    references = descriptions = NO_VERSIONS
    if "reference" in kinds:
        references = reference_versions({question for _, question, *_ in rows}, as_of)
    if "description" in kinds:
        figures = {figure for _, _, figure, *_ in rows if figure}
        descriptions = description_versions(figures, language, as_of)
    suspects: dict[int, Suspect] = {}
    for pk, question, figure, description, reference in rows:
        is_described = "description" in kinds and figure is not None and figure == instead.figure
        is_referred = "reference" in kinds and question == instead.question
        described = (0, instead.description) if is_described else descriptions.get(figure or 0)
        referred = (0, instead.reference) if is_referred else references.get(question)
        suspect = Suspect(
            description if "description" in kinds else None,
            described or NONE,
            reference if "reference" in kinds else None,
            referred or NONE,
        )
        if not suspect.is_today:
            suspects[pk] = suspect
    return differing(suspects)


def differing(suspects: Mapping[int, Suspect]) -> set[int]:
    """Those that judgements have and whose words differ."""
    used: set[int] = set()
    is_used = Exists(Judgement.objects.filter(texts=OuterRef("pk")))
    for keys in in_parts(sorted(suspects)):
        found = JudgedTexts.objects.filter(is_used, pk__in=keys)
        used.update(found.values_list("pk", flat=True))
    described = words_of(Description, (suspects[pk].description for pk in used))
    referred = words_of(Reference, (suspects[pk].reference for pk in used))
    return {
        pk
        for pk in used
        if described.get(suspects[pk].description or 0, "") != suspects[pk].described[1]
        or referred.get(suspects[pk].reference or 0, "") != suspects[pk].referred[1]
    }


def words_of(
    model: type[Description] | type[Reference], keys: Iterable[int | None]
) -> Mapping[int, str]:
    wanted = sorted({key for key in keys if key})
    return {
        pk: text
        for part in in_parts(wanted)
        for pk, text in model._default_manager.filter(pk__in=part).values_list("pk", "text")
    }


def in_parts(keys: Sequence[int], size: int = IN_ONE_QUERY) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]


# --- editions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContentEdition:
    """Which state of its texts a release is judged by: 1 as it was imported, and one more for every
    version of a text, and for every label, that was made the one judged by since. `since`: when the
    newest was; None for the first edition."""

    number: int
    since: datetime | None


def content_edition(release: Release, spec: JudgeSpec) -> ContentEdition:
    """Today's edition of the texts that the spec reads; of a closed release, the one that it was
    closed with."""
    kinds, closed = texts_read(spec), release.closed
    found = corrections_in(release).aggregate(count=Count("pk"), last=Max("reviewed_at"))
    count, moments = 1 + found["count"], [found["last"]]
    if "reference" in kinds:
        as_imported = Q(version=1, origin=Reference.Origin.DATASET)
        later = Reference.objects.filter(
            until("created", closed), question__releases=release, label_correction=None
        ).exclude(as_imported)
        found = later.aggregate(count=Count("pk"), last=Max("created"))
        count, moments = count + found["count"], [*moments, found["last"]]
    if "description" in kinds:
        figures = release.questions.exclude(figure=None).order_by().values("figure")
        approved = Description.objects.filter(
            until("reviewed_at", closed),
            figure__in=figures,
            language=release.language,
            state=Description.State.APPROVED,
            reviewed_by__isnull=False,
        )
        found = approved.aggregate(count=Count("pk"), last=Max("reviewed_at"))
        count, moments = count + found["count"], [*moments, found["last"]]
    return ContentEdition(count, max((m for m in moments if m is not None), default=None))


def until(column: str, moment: datetime | None) -> Q:
    return Q() if moment is None else Q(**{f"{column}__lte": moment})
