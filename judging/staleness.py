"""What a changed text makes out of date, what judging that again costs, and judging exactly that again.

A judgement is stale where it was made with other words than those its judge would be shown today. Closed releases keep
their verdicts. Found by the texts that judgements name: what is up to date is not looked at, however much there is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db import transaction
from django.db.models import Avg, Count, Q, QuerySet

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.protocols.base import JudgeCase
from benchmarks.registry import protocol, protocols
from judging import money
from judging.clock import database_now
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet
from judging.selectors import cases_and_texts_of
from judging.services.runs import ASKED_AGAIN, begin_again, reuse_verdicts, settle_at_floor
from judging.services.verdicts import content_key, keep_verdicts, pin_texts, stored_texts
from judging.texts import Kinds, Replacement, TextIds, in_parts, outdated_texts, texts_read

State = Judgement.State
BATCH = 600
REASON = "the description changed"


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """What is out of date, or will be once a text is approved. `calls` of the judgements would ask a judge with a price
    at most, for about `cost` micro: fewer where the same case was judged before. `unknown`: so many more were judged
    before texts were kept with verdicts, and are compared when they are judged again."""

    references: int
    judgements: int
    submissions: int
    calls: int
    cost: int = 0
    unknown: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.references or self.judgements)

    @property
    def price(self) -> str:
        return money.print_money(self.cost)


@dataclass(frozen=True, slots=True)
class Rejudged:
    """How many stale judgements wait again, and how many have a verdict already because nothing had to be asked."""

    waiting: int
    decided: int


@dataclass(frozen=True, slots=True)
class Stale:
    judgement: Judgement
    case: JudgeCase
    key: str
    texts: TextIds


# --- counts -------------------------------------------------------------------------------------------------


def blast_radius(*, description: Description) -> BlastRadius:
    """Counts against the world in which `description` is the approved one of its figure and language."""
    figure = description.figure
    replacement = Replacement(figure=figure.pk, description=description.text)
    scope = judgements_on(figure=figure, language=description.language).filter(state=State.JUDGED)
    work = stale_among(scope, Question.objects.filter(figure=figure), replacement)
    return radius_of(work, scope, references=references_outdated_by(description))


def reference_radius(*, question: Question, text: str) -> BlastRadius:
    """Counts against the world in which `text` is the question's reference."""
    replacement = Replacement(question=question.pk, reference=text)
    scope = judgements_on().filter(answer__question=question, state=State.JUDGED)
    work = stale_among(scope, Question.objects.filter(pk=question.pk), replacement)
    return radius_of(work, scope)


def stale_radius(*, figure: Figure | None = None, release: Release | None = None) -> BlastRadius:
    """What `rejudge_stale` would touch, and what that would cost."""
    scope = judgements_on(figure=figure, release=release)
    return radius_of(stale_judgements(figure=figure, release=release), scope)


def stale_count(*, figure: Figure) -> int:
    """How many judgements `rejudge_stale` would touch."""
    return stale_judgements(figure=figure).count()


def radius_of(
    work: JudgementQuerySet, scope: JudgementQuerySet, *, references: int = 0
) -> BlastRadius:
    """Of the stale judgements `work`, found in `scope`; a few queries whatever their number."""
    found = list(
        work.order_by()
        .values_list("judge_spec")
        .annotate(Count("pk"), Avg("prompt_tokens"), Avg("reply_tokens"))
    )
    specs = JudgeSpec.objects.in_bulk([spec for spec, *_ in found])
    asked = [(specs[spec], *rest) for spec, *rest in found if not specs[spec].is_offline]
    cost = sum(
        count * money.cost_of(money.price_of(spec), prompt or 0.0, reply or 0.0)
        for spec, count, prompt, reply in asked
    )
    return BlastRadius(
        references=references,
        judgements=sum(count for _, count, *_ in found),
        submissions=work.order_by().values("run__submission").distinct().count(),
        calls=sum(count for _, count, *_ in asked),
        cost=cost,
        unknown=scope.filter(texts__isnull=True).count(),
    )


def judgements_of_questions(questions: "QuerySet[Question]") -> int:
    """How many verdicts stand on these questions: the most that new references of theirs make out of date."""
    return judgements_on().filter(answer__question__in=questions, state=State.JUDGED).count()


def references_outdated_by(description: Description) -> int:
    """Newest reference answers of the figure that were generated from another version of its description."""
    generated = Reference.objects.filter(
        question__figure=description.figure,
        origin=Reference.Origin.GENERATED,
        description__language=description.language,
    )
    return generated.newest().exclude(description=description).count()


# --- what is stale ------------------------------------------------------------------------------------------


def stale_judgements(
    *, figure: Figure | None = None, release: Release | None = None
) -> JudgementQuerySet:
    """Judgements of standing submissions to open releases that were made with other words than today's, whatever
    their state: on a figure, or in a release."""
    questions = Question.objects.all()
    if figure is not None:
        questions = questions.filter(figure=figure)
    if release is not None:
        questions = questions.filter(releases=release)
    return stale_among(judgements_on(figure=figure, release=release), questions)


def stale_among(
    scope: JudgementQuerySet,
    questions: "QuerySet[Question]",
    replacement: Replacement | None = None,
) -> JudgementQuerySet:
    """Those in `scope`, of these questions, that were made with other words than today's, or than those of the
    replacement."""
    matches: list[Q] = []
    every: set[int] = set()
    languages = languages_of(questions)
    for benchmark in set(questions.order_by().values_list("benchmark__slug", flat=True)):
        for kinds, specs in readers_of(benchmark).items():
            for language in languages:
                outdated = outdated_texts(
                    questions, language=language, kinds=kinds, replacement=replacement
                )
                every |= outdated
                matches.append(
                    Q(
                        texts__in=outdated,
                        judge_spec__in=specs,
                        answer__submission__release__language=language,
                    )
                )
    if not every:
        return scope.none()
    return scope.filter(reduce(or_, matches), texts__in=every)


def languages_of(questions: "QuerySet[Question]") -> list[str]:
    shown = Release.objects.accepting().filter(questions__in=questions)
    return sorted(set(shown.order_by().values_list("language", flat=True)))


def readers_of(benchmark: str) -> Mapping[Kinds, list[int]]:
    """The benchmark's judges by which texts they read, without those that read none."""
    found: dict[Kinds, list[int]] = {}
    if benchmark not in protocols():
        return found
    for spec in JudgeSpec.objects.filter(protocol=benchmark).select_related("prompt_set"):
        if kinds := texts_read(spec):
            found.setdefault(kinds, []).append(spec.pk)
    return found


def judgements_on(
    *, figure: Figure | None = None, release: Release | None = None, language: str = ""
) -> JudgementQuerySet:
    """Judgements of standing submissions to open releases, on a figure or in a release."""
    found = Judgement.objects.filter(
        answer__submission__release__state=Release.State.OPEN,
        answer__submission__withdrawn__isnull=True,
    )
    if figure is not None:
        found = found.filter(answer__question__figure=figure)
    if release is not None:
        found = found.filter(answer__submission__release=release)
    if language:
        found = found.filter(answer__submission__release__language=language)
    return found


# --- judging it again ---------------------------------------------------------------------------------------


def rejudge_stale(*, figure: Figure | None = None, release: Release | None = None) -> Rejudged:
    """Judgements whose case changed wait for a verdict on what it is today; no other row is touched, and the verdicts
    they had are kept.

    Where the new case needs no call, or was judged before, its verdict is there at once. What a worker asks meanwhile
    about the old case is not stored: its row is not leased any more.
    """
    scope = judgements_on(figure=figure, release=release)
    unknown = scope.filter(texts__isnull=True)
    for run in JudgeRun.objects.filter(pk__in=unknown.order_by().values("run")):
        pin_texts(run=run)
    keys = {
        *stale_judgements(figure=figure, release=release).values_list("pk", flat=True),
        *unknown.values_list("pk", flat=True),
    }
    waiting = decided = 0
    for part in in_parts(sorted(keys), BATCH):
        with transaction.atomic():
            # Runs before their judgements, as `resume_run` locks them.
            runs = Judgement.objects.filter(pk__in=part).order_by().values("run")
            JudgeRun.objects.filter(pk__in=runs).update(asked_anew=database_now())
            rows = list(
                with_cases(Judgement.objects.filter(pk__in=part)).select_for_update(of=("self",))
            )
            found = [stale for batch in by_spec(rows) for stale in stale_of(batch)]
            ask_again(found)
        settled = sum(stale.judgement.state == State.JUDGED for stale in found)
        waiting, decided = waiting + len(found) - settled, decided + settled
    return Rejudged(waiting, decided)


def ask_again(found: Sequence[Stale]) -> None:
    """The rows hold today's content key and wait, or have the verdict of a case that needs no call. A paused row, which
    an operator has to resume, stays paused."""
    now = database_now()
    keep_verdicts(stale.judgement for stale in found)
    stored = stored_texts({stale.texts for stale in found})
    for stale in found:
        judgement = stale.judgement
        if judgement.state == State.PAUSED:
            judgement.content_key, judgement.texts_id = stale.key, stored[stale.texts]
        else:
            begin_again(judgement, stale.key, stored[stale.texts], REASON)
            settle_at_floor(
                judgement, stale.case, protocol(judgement.judge_spec.protocol).judging, now
            )
    judgements = [stale.judgement for stale in found]
    reuse_verdicts(judgements, {j.content_key for j in judgements if j.state == State.WAITING})
    Judgement.objects.bulk_update(judgements, ASKED_AGAIN)


def with_cases(work: JudgementQuerySet) -> JudgementQuerySet:
    return work.order_by("pk").select_related(
        "answer__question__subtask__ability",
        "answer__question__figure",
        "answer__submission__release__benchmark",
        "judge_spec__prompt_set",
        "run",
        "texts__description",
        "texts__reference",
    )


def by_spec(rows: Sequence[Judgement]) -> Iterator[list[Judgement]]:
    """Rows whose cases can be built together: of one judge spec and one language."""
    groups: dict[tuple[int, str], list[Judgement]] = {}
    for row in rows:
        groups.setdefault((row.judge_spec_id, row.answer.submission.release.language), []).append(
            row
        )
    yield from groups.values()


def stale_of(rows: Sequence[Judgement]) -> list[Stale]:
    """Those of the locked `rows`, all of one spec and language, that would be asked otherwise today. One that would be
    asked the same, by newer texts of which its call shows nothing, names these from now on."""
    spec: JudgeSpec = rows[0].judge_spec
    judging = protocol(spec.protocol).judging
    found, same = [], []
    for row, (case, texts) in zip(rows, cases_and_texts_of(rows, spec), strict=True):
        if (key := content_key(case, spec, judging)) == row.content_key:
            same.append((row, texts))
        elif words_read(row) != (case.description, case.reference):
            found.append(Stale(row, case, key, texts))
    stored = stored_texts({texts for _, texts in same})
    for row, texts in same:
        row.texts_id = stored[texts]
    Judgement.objects.bulk_update([row for row, _ in same], ["texts"])
    return found


def words_read(row: Judgement) -> tuple[str, str] | None:
    """The description and the reference that a row was made with, "" for none; None where nothing tells."""
    if (texts := row.texts) is None:
        return None
    described, referred = texts.description, texts.reference
    return described.text if described else "", referred.text if referred else ""
