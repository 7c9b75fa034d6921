"""A question's page: what is asked, and what every public entry of an era answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

import numpy as np
from django.http import Http404, QueryDict
from django.urls import reverse

from benchmarks.models import Question, QuestionReport, Release, ReleaseQuestion
from benchmarks.protocols.base import NOT_RATED, QuestionView, ScoredRow
from benchmarks.registry import protocol, protocols
from benchmarks.selectors import kept_truths, question_view
from benchmarks.statistics.items import FEWEST_ENTRIES, share_interval
from benchmarks.submissions.models import Answer
from judging.models import Judgement
from judging.panel.selectors import ratings_of_answers
from leaderboard.results.boards.question_statistics import (
    MOST_ENTRIES,
    QuestionTable,
    question_table,
)
from leaderboard.results.disclosure import (
    ShownCorrection,
    ShownVersion,
    public_texts,
    shown_anomalies,
    shown_answer,
    shown_corrections,
    shown_descriptions,
    shown_references,
)
from leaderboard.results.formatting import MISSING, StripFigure, print_number, print_rank
from leaderboard.results.judges.seals import JudgeSeal, judge_seal
from leaderboard.results.selectors import (
    BoardEntry,
    BoardPart,
    BoardReading,
    Era,
    NoSuchEraError,
    read_board,
)
from leaderboard.web.board.choices import Choice, bounded, page_of
from leaderboard.web.pages.entries.questions import (
    ShownImage,
    entry_line_url,
    images_of,
    question_url,
    shown_image,
)

PER_PAGE = 20
MOST_CHARACTERS = 800
"""Of an answer that stands beside nineteen others; an entry's page has all of it."""


MOST_REPORTS = 20
"""Confirmed ones that a page shows; it counts all."""


@dataclass(frozen=True, slots=True)
class QuestionChoices:
    """release, judge: slugs, empty where none was named. `notes` say what was not understood."""

    release: str = ""
    judge: str = ""
    page: int = 1
    notes: tuple[str, ...] = ()


def question_choices(query: QueryDict) -> QuestionChoices:
    notes: list[str] = []
    return QuestionChoices(
        release=bounded(query, "release"),
        judge=bounded(query, "judge"),
        page=page_of(query, notes),
        notes=tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """`answer` is None where it is hidden; `is_cut`: only its beginning is shown."""

    model: str
    url: str
    rank: str
    origin: str
    answer: str | None
    is_cut: bool
    verdict: str
    is_right: bool | None
    remark: str


@dataclass(frozen=True, slots=True)
class Neighbour:
    public_id: str
    url: str


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """`judge` is None where nothing is public yet. `place` counts from 1."""

    question: Question
    release: Release
    place: int
    images: tuple[ShownImage, ...]
    image_names: tuple[str, ...]
    reference: str
    descriptions: tuple[ShownVersion, ...]
    anomalies: tuple[str, ...]
    strip: tuple[StripFigure, ...]
    right_means: str
    judge: JudgeSeal | None
    eras: tuple[Choice, ...]
    answers: tuple[AnswerLine, ...]
    answer_count: int
    page: int
    pages: int
    previous_url: str
    next_url: str
    before: Neighbour | None
    after: Neighbour | None
    reports: Sequence[QuestionReport]
    report_count: int
    corrections: tuple[ShownCorrection, ...]
    list_url: str
    matrix_url: str
    notes: tuple[str, ...]


def question_page(question_id: int, chosen: QuestionChoices) -> QuestionPage:
    """Raises Http404 for a question of no published release."""
    question = published_question(question_id)
    releases = tuple(Release.objects.published().filter(questions=question).main_first())
    reading, chosen = reading_of(question, releases, chosen)
    era = reading.era if reading else None
    release = era.release if era else release_named(releases, chosen.release)
    place = place_of(question, release)
    is_public = release.verdicts_are_public
    table = question_table(era.release, era.judge_spec) if era else None
    pictures = images_of([question]).get(question.figure_id or 0, [])
    link = partial(page_url, question.pk, era)
    pages = max(1, -(-reading.matching // PER_PAGE)) if reading else 1
    confirmed = QuestionReport.objects.confirmed().filter(question=question)
    before, after = neighbours(release, question, era)
    return QuestionPage(
        question=question,
        release=release,
        place=place + 1,
        images=tuple(shown_image(image) for image in pictures if image.sha256),
        image_names=tuple(image.name for image in pictures),
        reference=shown_references(release, [question.pk]).get(question.pk, ""),
        descriptions=shown_descriptions(question, release),
        anomalies=tuple(shown_anomalies(release).get(question.public_id, ())),
        strip=strip_of(table, question.pk),
        right_means=protocol(question.benchmark.slug).right_means,
        judge=judge_seal(era.judge_spec) if era else None,
        eras=era_choices(question.pk, reading, releases),
        answers=answer_lines(question, reading, place) if reading and is_public else (),
        answer_count=reading.matching if reading and is_public else 0,
        page=chosen.page,
        pages=pages,
        previous_url=link(chosen.page - 1) if chosen.page > 1 else "",
        next_url=link(chosen.page + 1) if chosen.page < pages else "",
        before=before,
        after=after,
        reports=list(confirmed[:MOST_REPORTS]),
        report_count=confirmed.count(),
        corrections=shown_corrections(release, question)[1],
        list_url=part_url("board-questions", era, question),
        matrix_url=part_url("board-matrix", era, question),
        notes=chosen.notes,
    )


def published_question(question_id: int) -> Question:
    """Raises Http404 for one of drafts alone, or of a benchmark that this site has no more."""
    found = Question.objects.filter(
        pk=question_id,
        releases__in=Release.objects.published(),
        benchmark__slug__in=list(protocols()),
    )
    question: Question | None = (
        found.select_related("benchmark", "subtask__ability", "figure").distinct().first()
    )
    if question is None:
        raise Http404("There is no such question.")
    return question


def release_named(releases: Sequence[Release], slug: str) -> Release:
    return next((release for release in releases if release.slug == slug), releases[0])


def reading_of(
    question: Question, releases: Sequence[Release], chosen: QuestionChoices
) -> tuple[BoardReading | None, QuestionChoices]:
    """The entries of the page that was chosen, of the first era there is for it, and the choice
    with what had to be left of it; None where no release of the question has public entries."""
    named = [release for release in releases if release.slug == chosen.release]
    notes = list(chosen.notes)
    if chosen.release and not named:
        notes.append(f"This question is not in a release “{chosen.release}”.")
    tried = [(release, chosen.judge) for release in named or releases]
    if chosen.judge:
        tried += [(release, "") for release in named or releases]
    for release, judge in tried:
        part = BoardPart(first=(chosen.page - 1) * PER_PAGE, count=PER_PAGE)
        try:
            reading = read_board(question.benchmark, release=release.slug, judge=judge, part=part)
        except NoSuchEraError:
            continue
        if judge != chosen.judge:
            notes.append(f"No entry here was judged by “{chosen.judge}”.")
        page = chosen.page
        if not reading.entries and page > 1:
            notes.append(f"There is no page {page:,} of answers; this is the first one.")
            first = replace(part, first=0)
            reading = read_board(question.benchmark, release=release.slug, judge=judge, part=first)
            page = 1
        return reading, replace(chosen, page=page, notes=tuple(notes))
    return None, replace(chosen, page=1, notes=tuple(notes))


def place_of(question: Question, release: Release) -> int:
    """How many questions of the release stand before it."""
    members = ReleaseQuestion.objects.filter(release=release)
    return members.filter(position__lt=members.get(question=question).position).count()


# --- answers --------------------------------------------------------------------------------------


def answer_lines(question: Question, reading: BoardReading, place: int) -> tuple[AnswerLine, ...]:
    """In the order of the board. What an entry answered is read by its key and the question's."""
    era = reading.era
    assert era is not None
    entries = {entry.id: entry for entry in reading.entries}
    answers = list(
        Answer.objects.filter(submission__in=list(entries), question=question).select_related(
            "submission"
        )
    )
    by_entry = {answer.submission_id: answer for answer in answers}
    found = []
    rows = scored_rows(question, era, answers)
    for answer in answers:
        answer.question = question
    public = public_texts(era.release, answers)
    for entry in reading.entries:
        if given := by_entry.get(entry.id):
            text = shown_answer(given, given.submission, public[given.pk])
            url = entry_line_url(entry.id, era.judge_spec.slug, question.pk, place)
            found.append(answer_line(entry, url, text, rows[given.pk]))
    return tuple(found)


def answer_line(entry: BoardEntry, url: str, text: str | None, row: ScoredRow) -> AnswerLine:
    return AnswerLine(
        model=entry.model,
        url=url,
        rank=print_rank(entry.rank_best, entry.rank_worst),
        origin="" if entry.origin == "upload" else entry.origin,
        answer=None if text is None else text[:MOST_CHARACTERS],
        is_cut=text is not None and len(text) > MOST_CHARACTERS,
        verdict=row.verdict,
        is_right=row.is_right,
        remark="" if row.credit is None or row.is_right is not None else credit_of(row.credit),
    )


def credit_of(credit: float) -> str:
    return f"counts {credit:.2f} of 1"


def scored_rows(question: Question, era: Era, answers: Sequence[Answer]) -> Mapping[int, ScoredRow]:
    """By answer, what the scorer says of it, as on its entry's page but for what it says of other
    questions."""
    family = protocol(question.benchmark.slug)
    view: QuestionView = question_view(question, kept_truths(era.release))
    keys = [answer.pk for answer in answers]
    verdicts: dict[int, dict[str, list[str | None]]] = {}
    judgements = Judgement.objects.filter(answer__in=keys, judge_spec=era.judge_spec).order_by()
    for answer, slot, state, verdict in judgements.values_list(
        "answer", "slot", "state", "verdict"
    ):
        is_judged = state == Judgement.State.JUDGED
        verdicts.setdefault(answer, {})[slot] = [verdict if is_judged else None]
    ratings = ratings_of_answers(era.release, keys) if family.scores_ratings else {}
    return {
        answer.pk: family.explain(
            [view],
            [answer.text],
            verdicts.get(answer.pk, {}),
            ratings.get(answer.pk, NOT_RATED),
        )[0]
        for answer in answers
    }


# --- what the answers say of the question ---------------------------------------------------------


def strip_of(table: QuestionTable | None, question: int) -> tuple[StripFigure, ...]:
    """Nothing before a worker has counted once."""
    place = table.place(question) if table else None
    if table is None or place is None:
        return ()
    answered = int(table.answered[place])
    return (
        share_figure(float(table.share[place]), answered),
        StripFigure("Entries counted", f"{answered:,}", counted_note(table)),
        discrimination_figure(float(table.discrimination[place]), answered),
    )


def share_figure(share: float, answered: int) -> StripFigure:
    if not answered:
        return StripFigure("Right", MISSING, "no ranked model has a verdict here")
    low, high = share_interval(np.array(share), np.array(answered)).tolist()
    span = f"95 % interval {100 * low:.0f} to {100 * high:.0f} %"
    return StripFigure("Right", f"{100 * share:.0f} %", span)


def counted_note(table: QuestionTable) -> str:
    if table.countable > table.entries and table.entries == MOST_ENTRIES:
        return f"the first {MOST_ENTRIES:,} of {table.countable:,} ranked models"
    return "ranked models, duplicates counted once"


def discrimination_figure(value: float, answered: int) -> StripFigure:
    title = "Discrimination"
    if answered < FEWEST_ENTRIES:
        note = f"needs at least {FEWEST_ENTRIES} entries"
        return StripFigure(title, MISSING, note)
    if value != value:  # nan
        return StripFigure(title, MISSING, "all entries score the same here")
    note = "correlation of the score here with that on all other questions"
    return StripFigure(title, print_number(value, 2, signed=True), note)


# --- links ----------------------------------------------------------------------------------------


def page_url(question: int, era: Era | None, page: int) -> str:
    if era is None:
        return reverse("question", args=[question])
    url = question_url(question, era.release.slug, era.judge_spec.slug)
    return f"{url}&page={page}#answers" if page > 1 else f"{url}#answers"


def part_url(name: str, era: Era | None, question: Question) -> str:
    """Of the board's page about the subtask of the question; empty without an era."""
    if era is None:
        return ""
    query = {
        "release": era.release.slug,
        "judge": era.judge_spec.slug,
        "subtask": question.subtask.slug,
    }
    return f"{reverse(name, args=[question.benchmark.slug])}?{urlencode(query)}"


def era_choices(
    question: int, reading: BoardReading | None, releases: Sequence[Release]
) -> tuple[Choice, ...]:
    if reading is None:
        return ()
    has = {release.pk for release in releases}
    eras = [era for era in reading.eras if era.release.pk in has]
    return tuple(
        Choice(
            title=f"{era.release.title} · {judge_seal(era.judge_spec).label}",
            url=question_url(question, era.release.slug, era.judge_spec.slug),
            is_current=era == reading.era,
        )
        for era in eras
    )


def neighbours(
    release: Release, question: Question, era: Era | None
) -> tuple[Neighbour | None, Neighbour | None]:
    """The question before and the one after it in the release."""
    members = ReleaseQuestion.objects.filter(release=release).select_related("question")
    position = members.get(question=question).position
    judge = era.judge_spec.slug if era else ""

    def neighbour(member: ReleaseQuestion | None) -> Neighbour | None:
        if member is None:
            return None
        url = question_url(member.question_id, release.slug, judge)
        return Neighbour(member.question.public_id, url)

    return (
        neighbour(members.filter(position__lt=position).order_by("-position").first()),
        neighbour(members.filter(position__gt=position).order_by("position").first()),
    )
