"""What a changed text makes out of date, what judging that again costs, and judging exactly that
again.

A judgement is stale where it was made with other words than those its judge would be shown today.
Closed releases keep their verdicts. Found by the texts that judgements name: what is up to date is
not looked at, however much there is.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from uuid import UUID

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.db.models import Avg, Count, Q, QuerySet

from benchmarks.models import Description, Figure, Question, Reference, Release
from benchmarks.protocols.base import JudgeCase
from benchmarks.registry import protocol, protocols
from judging.coordination import money
from judging.coordination.clock import database_now
from judging.models import Judgement, JudgeRun, JudgeSpec
from judging.querysets import JudgementQuerySet
from judging.selectors import cases_and_texts_of, why_never_asked
from judging.services.estimates import measured, tokens_of_prompts
from judging.services.runs import ASKED_AGAIN, begin_again, reuse_verdicts, take_plain_verdict
from judging.services.verdicts import content_key, keep_verdicts, stored_texts
from judging.texts import Kinds, Replacement, TextIds, in_parts, outdated_texts, texts_read

State = Judgement.State
BATCH = 600  # keys of one statement; SQLite takes 999 for certain
SAMPLE = 100  # cases whose prompts are made to estimate what those without a call would take
PERMISSIONS = ("judging.rejudge_stale", "judging.change_judgement")
"""Either lets a person have judged again what is out of date: the one for reviewers, the other for
who may do with judgements whatever can be done."""
REPORTED = Q(prompt_tokens__isnull=False, reply_tokens__isnull=False)
MOST_AT_ONCE = 6_000
"""Judgements of one request: ten parts of BATCH, some seconds. The page says how many are left."""
REASON = "the description changed"


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """What is out of date, or will be once a text is approved. `calls` of the judgements would ask
    a judge with a price at most, for about `cost` micro: fewer where the same case was judged
    before. `unknown`: so many more were judged before texts were kept with verdicts, and are
    compared when they are judged again; each counts as a call. `left`: so many are by judges that
    are asked no more, and stay as they are. `already`: so many more are out of date before the
    approval as after it; `renewed`: so many that are out of date would be up to date."""

    references: int
    judgements: int
    submissions: int
    calls: int
    cost: int = 0
    unknown: int = 0
    left: int = 0
    already: int = 0
    renewed: int = 0

    @property
    def is_empty(self) -> bool:
        return not (self.references or self.judgements)

    @property
    def price(self) -> str:
        return money.print_money(self.cost)


@dataclass(frozen=True, slots=True)
class Rejudged:
    """How many stale judgements wait again, and how many have a verdict already because nothing had
    to be asked."""

    waiting: int
    decided: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a person ticked: judgements of any of these figures or questions, or of any of these
    entries. Nothing ticked is all of it."""

    figures: tuple[int, ...] = ()
    questions: tuple[int, ...] = ()
    entries: tuple[UUID, ...] = ()

    def of(self, work: JudgementQuerySet) -> JudgementQuerySet:
        ticked = Q(answer__question__figure__in=self.figures)
        ticked |= Q(answer__question__in=self.questions)
        if self.figures or self.questions:
            work = work.filter(ticked)
        return work.filter(run__submission__in=self.entries) if self.entries else work


ALL = Chosen()


@dataclass(frozen=True, slots=True)
class Stale:
    judgement: Judgement
    case: JudgeCase
    key: str
    texts: TextIds


def may_rejudge(user: User | AnonymousUser) -> bool:
    return any(user.has_perm(permission) for permission in PERMISSIONS)


# --- counts ---------------------------------------------------------------------------------------


def blast_radius(*, description: Description, twin: Figure | None = None) -> BlastRadius:
    """What approving `description` would make out of date that is up to date now; with `twin`, of
    the judgements on that figure, which gets the same words."""
    figure = twin or description.figure
    replacement = Replacement(figure=figure.pk, description=description.text)
    scope = judgements_on(figure=figure, language=description.language).filter(state=State.JUDGED)
    questions = Question.objects.filter(figure=figure)
    now = outdated_by_reader(questions)
    then = outdated_by_reader(questions, replacement)
    none: frozenset[int] = frozenset()
    work = judged_by(scope, {reader: then[reader] - now.get(reader, none) for reader in then})
    both = judged_by(scope, {reader: then[reader] & now.get(reader, none) for reader in then})
    renewed = judged_by(scope, {reader: now[reader] - then.get(reader, none) for reader in now})
    found = radius_of(work, scope, references=references_outdated_by(description, figure))
    return replace(found, already=both.count(), renewed=renewed.count())


def reference_radius(
    *, question: Question, text: str, without: Collection[int] = ()
) -> BlastRadius:
    """Counts against the world in which `text` is the question's reference; `without` the
    judgements of these specs."""
    replacement = Replacement(question=question.pk, reference=text)
    scope = judgements_on().filter(answer__question=question, state=State.JUDGED)
    scope = scope.exclude(judge_spec__in=without) if without else scope
    work = stale_among(scope, Question.objects.filter(pk=question.pk), replacement)
    return radius_of(work, scope)


def stale_radius(
    *, figure: Figure | None = None, release: Release | None = None, chosen: Chosen = ALL
) -> BlastRadius:
    """What `rejudge_stale` would touch, and what that would cost."""
    scope = chosen.of(judgements_on(figure=figure, release=release))
    found = radius_of(stale_among(scope, questions_of(figure, release)), scope)
    return replace(found, left=left_count(figure=figure, release=release))


def left_count(*, figure: Figure | None, release: Release | None) -> int:
    """How many stale judgements are by judges that are asked no more."""
    if not (retired := retired_judges()):
        return 0
    scope = judgements_not_withdrawn(figure=figure, release=release).filter(judge_spec__in=retired)
    return stale_among(scope, questions_of(figure, release)).count()


def radius_of(
    work: JudgementQuerySet, scope: JudgementQuerySet, *, references: int = 0
) -> BlastRadius:
    """Of the stale judgements `work`, found in `scope`; a few queries whatever their number."""
    unrecorded = scope.filter(texts__isnull=True)
    found, unknown = counts_by_judge(work), counts_by_judge(unrecorded)
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk({*found, *unknown})
    asked = [(specs[pk], rows) for pk, rows in found.items() if not specs[pk].is_offline]
    asked_too = [(specs[pk], rows) for pk, rows in unknown.items() if not specs[pk].is_offline]
    return BlastRadius(
        references=references,
        judgements=sum(rows for rows, _ in found.values()),
        submissions=work.order_by().values("run__submission").distinct().count(),
        calls=sum(rows for _, (rows, _) in [*asked, *asked_too]),
        cost=sum(cost_of_calls(work, spec, *counts) for spec, counts in asked)
        + sum(cost_of_calls(unrecorded, spec, *counts) for spec, counts in asked_too),
        unknown=sum(rows for rows, _ in unknown.values()),
    )


def counts_by_judge(work: JudgementQuerySet) -> Mapping[int, tuple[int, int]]:
    """By primary key of the spec: how many rows, and of how many both numbers of tokens were
    reported."""
    found = work.order_by().values_list("judge_spec")
    counted = found.annotate(rows=Count("pk"), reported=Count("pk", filter=REPORTED))
    return {spec: (rows, reported) for spec, rows, reported in counted}


def cost_of_calls(work: JudgementQuerySet, spec: JudgeSpec, rows: int, reported: int) -> int:
    """Micro for asking the spec's rows of `work` again. What their calls took before is what they
    take; of those that made none, as where a verdict was taken over, it is estimated from the
    prompts of some and the usual reply."""
    price = money.price_of(spec)
    mine = work.filter(judge_spec=spec)
    means = mine.filter(REPORTED).aggregate(prompt=Avg("prompt_tokens"), reply=Avg("reply_tokens"))
    cost = reported * money.cost_of(price, means["prompt"] or 0.0, means["reply"] or 0.0)
    if rows > reported:
        sample = list(with_cases(mine.exclude(REPORTED))[:SAMPLE])
        judging = protocol(spec.protocol).judging
        cases = [case for part in by_spec(sample) for case, _ in cases_and_texts_of(part, spec)]
        prompt = tokens_of_prompts(cases, spec, judging) / len(cases)
        cost += (rows - reported) * money.cost_of(price, prompt, measured(spec)[1])
    return cost


def judgements_of_questions(questions: "QuerySet[Question]") -> int:
    """How many verdicts stand on these questions: the most that new references of theirs make out
    of date."""
    return judgements_on().filter(answer__question__in=questions, state=State.JUDGED).count()


def references_outdated_by(description: Description, figure: Figure) -> int:
    """Newest reference answers of the figure that were generated from the description approved now,
    and would be from another one's words. Those of older versions are out of date already."""
    versions = Description.objects.filter(
        figure=figure, language=description.language, state=Description.State.APPROVED
    )
    current = versions.order_by("-version").first()
    if current is None or current.text == description.text:
        return 0
    generated = Reference.objects.filter(question__figure=figure, origin=Reference.Origin.GENERATED)
    return generated.newest().filter(description=current).count()


# --- what is stale --------------------------------------------------------------------------------


def stale_judgements(
    *, figure: Figure | None = None, release: Release | None = None
) -> JudgementQuerySet:
    """Judgements that may be asked again and were made with other words than today's, on a figure
    or in a release."""
    scope = judgements_on(figure=figure, release=release)
    return stale_among(scope, questions_of(figure, release))


def questions_of(figure: Figure | None, release: Release | None) -> "QuerySet[Question]":
    questions = Question.objects.all()
    if figure is not None:
        questions = questions.filter(figure=figure)
    if release is not None:
        questions = questions.filter(releases=release)
    return questions


@dataclass(frozen=True, slots=True)
class Reader:
    """Judges of a benchmark that read the same kinds of texts, in one language."""

    specs: tuple[int, ...]
    language: str


def stale_among(
    scope: JudgementQuerySet,
    questions: "QuerySet[Question]",
    replacement: Replacement | None = None,
) -> JudgementQuerySet:
    """Those in `scope`, of these questions, that were made with other words than today's, or than
    those of the replacement."""
    return judged_by(scope, outdated_by_reader(questions, replacement))


def outdated_by_reader(
    questions: "QuerySet[Question]", replacement: Replacement | None = None
) -> Mapping[Reader, frozenset[int]]:
    """The texts that were read and are not today's, or not those of the replacement."""
    languages = languages_of(questions)
    return {
        Reader(tuple(specs), language): frozenset(
            outdated_texts(questions, language=language, kinds=kinds, replacement=replacement)
        )
        for benchmark in set(questions.order_by().values_list("benchmark__slug", flat=True))
        for kinds, specs in readers_of(benchmark).items()
        for language in languages
    }


def judged_by(
    scope: JudgementQuerySet, texts: Mapping[Reader, frozenset[int]]
) -> JudgementQuerySet:
    """Those in `scope` that these readers made with any of these texts of theirs."""
    matches = [
        Q(
            texts__in=found,
            judge_spec__in=reader.specs,
            answer__submission__release__language=reader.language,
        )
        for reader, found in texts.items()
        if found
    ]
    if not matches:
        return scope.none()
    every = frozenset[int]().union(*texts.values())
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
    """Those of `judgements_not_withdrawn` that may be asked again: not what a person excluded, nor
    what a judge of older rules or parsers said."""
    found = judgements_not_withdrawn(figure=figure, release=release, language=language)
    found = found.exclude(state=State.EXCLUDED)
    retired = retired_judges()
    return found.exclude(judge_spec__in=retired) if retired else found


def retired_judges() -> list[int]:
    """Primary keys of the specs that make no verdict any more, as an engine would say."""
    specs = JudgeSpec.objects.filter(protocol__in=protocols())
    return [spec.pk for spec in specs if why_never_asked(spec)]


def judgements_not_withdrawn(
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


# --- judging it again -----------------------------------------------------------------------------


def rejudge_stale(
    *, figure: Figure | None = None, release: Release | None = None, chosen: Chosen = ALL
) -> Rejudged:
    """Judgements whose case changed wait for a verdict on what it is today; no other row is
    touched, and the verdicts they had are kept. At most MOST_AT_ONCE, the first ones.

    Where the new case needs no call, or was judged before, its verdict is there at once. What a
    worker asks meanwhile about the old case is not stored: its row is not leased any more.
    """
    scope = chosen.of(judgements_on(figure=figure, release=release))
    unknown = scope.filter(texts__isnull=True)
    stale = stale_among(scope, questions_of(figure, release))
    keys = {*stale.values_list("pk", flat=True), *unknown.values_list("pk", flat=True)}
    waiting = decided = 0
    for part in in_parts(sorted(keys)[:MOST_AT_ONCE], BATCH):
        with transaction.atomic():
            # Runs before their judgements, as `resume_run` locks them.
            runs = Judgement.objects.filter(pk__in=part).order_by().values("run")
            JudgeRun.objects.filter(pk__in=runs).raise_revision(asked_anew=database_now())
            rows = list(
                with_cases(
                    Judgement.objects.filter(pk__in=part).exclude(state=State.EXCLUDED)
                ).select_for_update(of=("self",))
            )
            found = [stale for batch in by_spec(rows) for stale in stale_of(batch)]
            ask_again(found)
        settled = sum(stale.judgement.state == State.JUDGED for stale in found)
        waiting, decided = waiting + len(found) - settled, decided + settled
    return Rejudged(waiting, decided)


def ask_again(found: Sequence[Stale]) -> None:
    """The rows hold today's content key and wait, or have the verdict of a case that needs no call.
    A paused row, which an operator has to resume, stays paused."""
    now = database_now()
    keep_verdicts(stale.judgement for stale in found)
    stored = stored_texts({stale.texts for stale in found})
    for stale in found:
        judgement = stale.judgement
        if judgement.state == State.PAUSED:
            judgement.content_key, judgement.texts_id = stale.key, stored[stale.texts]
        else:
            begin_again(judgement, stale.key, stored[stale.texts], REASON)
            take_plain_verdict(
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
    """Those of the locked `rows`, all of one spec and language, that would be asked otherwise
    today. One that would be asked the same, by newer texts of which its call shows nothing, names
    these from now on."""
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
    """The description and the reference that a row was made with, "" for none; None where nothing
    tells."""
    if (texts := row.texts) is None:
        return None
    described, referred = texts.description, texts.reference
    return described.text if described else "", referred.text if referred else ""
