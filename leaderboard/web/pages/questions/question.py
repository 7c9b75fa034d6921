"""A question's page: what is asked, what is expected, and what every public entry of an era
answered, the best first."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from benchmarks.models import Question, QuestionReport, Release, ReleaseQuestion
from benchmarks.protocols.base import NOT_RATED, ScoredRow
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
    public_texts,
    shown_anomalies,
    shown_answer,
    shown_corrections,
    shown_descriptions,
    shown_labels,
    shown_references,
)
from leaderboard.results.formatting import (
    MISSING,
    StripFigure,
    interval_text,
    print_number,
    print_rank,
)
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import (
    BoardEntry,
    BoardPart,
    BoardReading,
    Era,
    NoSuchEraError,
    read_board,
)
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.pages.entries.questions import entry_line_url, images_of, shown_image
from leaderboard.web.pages.questions.eras import era_choices

PER_PAGE = 20

PAGES_SORTED = 5
"""So many pages of answers are sorted together, the best first: a hundred answers are scored for
one page, however many entries the board has."""

MOST_REPORTS = 20
"""Confirmed ones that a page shows; it counts all."""

MOST_PAIRED = 8
"""Questions of one control pair whose pictures a page shows."""

LONGEST_EXPECTED = 80
"""Characters of an expected answer that fits into a sentence."""


@require_safe
def question(request: HttpRequest, question_id: int) -> HttpResponse:
    page = question_page(question_id, request.GET)
    return render(request, "questions/question.html", {"page": page})


def question_page(question_id: int, query: QueryDict) -> dict[str, Any]:
    """Raises Http404 for a question of no published release."""
    question = published_question(question_id)
    asked = Asked(query)
    releases = tuple(Release.objects.published().filter(questions=question).main_first())
    number = asked.page()
    reading = reading_of(question, releases, asked, number)
    answers = Paginator(range(reading.matching if reading else 0), PER_PAGE)
    shown = page_or_last(answers, number, asked.notes)
    era = reading.era if reading else None
    release = era.release if era else release_named(releases, asked.text("release"))
    members = ReleaseQuestion.objects.filter(release=release).select_related("question")
    position = members.get(question=question).position
    before = members.filter(position__lt=position).order_by("-position")
    place = before.count()
    table = question_table(era.release, era.judge_spec) if era else None
    right = right_of(table, question)
    paired = control_pair(question, release)
    labels = shown_labels(release, [one for one, _ in paired])
    lines: list[dict[str, Any]] = []
    if reading and release.verdicts_are_public:
        lines = answer_lines(question, reading, shown.number, place, right)
    is_graded = any(line["row"].points is not None for line in lines)
    confirmed = QuestionReport.objects.confirmed().filter(question=question)
    named = {"release": release.slug, "judge": era.judge_spec.slug if era else ""}
    return {
        "question": question,
        "release": release,
        "place": place + 1,
        "sentence": sentence_of(right, labels.get(question.pk, ""), is_graded=is_graded),
        "pictures": pictures_of(paired, labels, table),
        "expected": labels.get(question.pk, ""),
        "reference": shown_references(release, [question.pk]).get(question.pk, ""),
        "descriptions": shown_descriptions(question, release),
        "anomalies": shown_anomalies(release).get(question.public_id, ()),
        "strip": strip_of(table, question.pk, is_graded=is_graded),
        "right_means": protocol(question.benchmark.slug).right_means,
        "judge": judge_seal(era.judge_spec) if era else None,
        "eras": era_choices(
            [one for one in reading.eras if one.release in releases] if reading else (),
            era,
            reverse("question", args=[question.pk]),
        ),
        "groups": [(title, list(some)) for title, some in groupby(lines, itemgetter("group"))],
        "answers": shown,
        "sorted": PAGES_SORTED * PER_PAGE,
        "before": before.first(),
        "after": members.filter(position__gt=position).order_by("position").first(),
        "reports": confirmed[:MOST_REPORTS],
        "report_count": confirmed.count(),
        "corrections": shown_corrections(release, question)[1],
        "query": urlencode({name: slug for name, slug in named.items() if slug}),
        "notes": asked.notes,
    }


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
    question: Question, releases: Sequence[Release], asked: Asked, page: int
) -> BoardReading | None:
    """The entries among whose answers that page is, or the last one, of the first era there is for
    what was asked; None where no release of the question has public entries. `asked` gets notes of
    what was not understood."""
    slug, judge = asked.text("release"), asked.text("judge")
    named = [release for release in releases if release.slug == slug]
    if slug and not named:
        asked.notes.append(f"This question is not in a release “{slug}”.")
    tried = [(release, judge) for release in named or releases]
    if judge:
        tried += [(release, "") for release in named or releases]
    count = PAGES_SORTED * PER_PAGE
    part = BoardPart(page=(page - 1) // PAGES_SORTED + 1, count=count)
    for release, of_judge in tried:
        try:
            reading = read_board(
                question.benchmark, release=release.slug, judge=of_judge, part=part
            )
        except NoSuchEraError:
            continue
        if of_judge != judge:
            asked.notes.append(f"No entry here was judged by “{judge}”.")
        return reading
    return None


# --- the figures of a control pair ----------------------------------------------------------------


def control_pair(question: Question, release: Release) -> list[tuple[Question, str]]:
    """The question and then the others of its control pair in the release, each with what its
    picture is; alone, and without a word, where its benchmark has no pairs."""
    pairing = protocol(question.benchmark.slug).pairing
    if pairing is None:
        return [(question, "")]
    own = pairing(question_view(question))
    of_set = Question.objects.of_release(release).filter(group=question.group)
    found = [(one, pairing(question_view(one))) for one in of_set]
    pair = [(one, paired.picture) for one, paired in found if paired.pair == own.pair]
    return sorted(pair, key=lambda one: one[0] != question)[:MOST_PAIRED]


def pictures_of(
    paired: Sequence[tuple[Question, str]], labels: Mapping[int, str], table: QuestionTable | None
) -> list[dict[str, Any]]:
    """`shows` says which one of a control pair it is, `right` how many models answer its question
    right."""
    images = images_of([one for one, _ in paired])
    pictures = []
    for one, shows in paired:
        own = images.get(one.figure_id or 0, ())
        pictures.append(
            {
                "question": one,
                "shows": shows,
                "expected": labels.get(one.pk, ""),
                "right": right_words(right_of(table, one)),
                "images": [shown_image(image) for image in own if image.sha256],
                "names": [image.name for image in own],
            }
        )
    return pictures


# --- answers --------------------------------------------------------------------------------------


def answer_lines(
    question: Question, reading: BoardReading, page: int, place: int, right: "Right | None"
) -> list[dict[str, Any]]:
    """Of the page, the best first. What an entry answered is read by its key and the question's.
    `text` is None where the answer is hidden; `group` is the heading it stands under."""
    era = reading.era
    assert era is not None
    answers = list(
        Answer.objects.filter(
            submission__in=[entry.id for entry in reading.entries], question=question
        ).select_related("submission", "question")
    )
    rows = scored_rows(question, era, answers)
    by_entry = {answer.submission_id: answer for answer in answers}
    given = [(entry, by_entry[entry.id]) for entry in reading.entries if entry.id in by_entry]

    def order(one: tuple[BoardEntry, Answer]) -> tuple[int, str, float, float]:
        row = rows[one[1].pk]
        doubt = row.dispute if row.is_right else -row.dispute  # a wrong one may yet be right
        return *group_of(row, right), -(row.credit or 0.0), doubt

    first = (page - 1) % PAGES_SORTED * PER_PAGE
    shown = sorted(given, key=order)[first : first + PER_PAGE]
    public = public_texts(era.release, [answer for _, answer in shown])
    return [
        {
            "entry": entry,
            "rank": print_rank(entry.rank_best, entry.rank_worst),
            "url": entry_line_url(entry.id, era.judge_spec.slug, question.pk, place),
            "text": shown_answer(answer, answer.submission, public[answer.pk]),
            "row": rows[answer.pk],
            "group": group_of(rows[answer.pk], right)[1],
        }
        for entry, answer in shown
    ]


def group_of(row: ScoredRow, right: "Right | None") -> tuple[int, str]:
    """Where an answer stands among the others, and the heading of those like it; empty where it has
    a score and the average is not known."""
    if row.outcome:
        return 2, row.outcome.capitalize()
    if row.credit is None:
        return 3, "No verdict"
    if row.points is None:
        return (0, "Right") if row.is_right else (1, "Wrong")
    if right is None:
        return 0, ""
    is_below = row.credit < right.share - 0.005  # a share is a mean of two-hundredths
    average = f"the average of {right.share:.2f}"
    return (1, f"Below {average}") if is_below else (0, f"At or above {average}")


def scored_rows(question: Question, era: Era, answers: Sequence[Answer]) -> Mapping[int, ScoredRow]:
    """By answer, what the scorer says of it, as on its entry's page but for what it says of other
    questions."""
    family = protocol(question.benchmark.slug)
    view = question_view(question, kept_truths(era.release))
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


class Right(NamedTuple):
    """The share of ranked models that answer a question right, or the mean of what their answers
    count, and of how many models."""

    share: float
    of: int


def right_of(table: QuestionTable | None, question: Question) -> Right | None:
    """None before a worker has counted once, and where no ranked model has a verdict."""
    place = table.place(question.pk) if table else None
    if table is None or place is None or not table.answered[place]:
        return None
    return Right(float(table.share[place]), int(table.answered[place]))


def right_words(right: Right | None) -> str:
    """ "9 of 12"; empty where nothing is known."""
    return f"{round(right.share * right.of):,} of {right.of:,}" if right else ""


def sentence_of(right: Right | None, label: str, *, is_graded: bool) -> str:
    """ "9 of 12 entries answer this right; the expected answer is yes." is_graded: answers count in
    part."""
    found = []
    if right and is_graded:
        entries = "the one ranked entry earns" if right.of == 1 else f"{right.of:,} entries earn"
        found.append(f"on average, {entries} {100 * right.share:.0f} % of the credit")
    elif right:
        answers = "answers" if right.of == 1 or round(right.share * right.of) == 1 else "answer"
        entries = "entry" if right.of == 1 else "entries"
        found.append(f"{right_words(right)} {entries} {answers} this right")
    expected = label.replace("\n", " or ")
    if expected and len(expected) <= LONGEST_EXPECTED:
        found.append(f"the expected answer is {expected}")
    sentence = "; ".join(found)
    return f"{sentence[:1].upper()}{sentence[1:]}." if sentence else ""


def strip_of(
    table: QuestionTable | None, question: int, *, is_graded: bool
) -> tuple[StripFigure, ...]:
    """Nothing before a worker has counted once."""
    place = table.place(question) if table else None
    if table is None or place is None:
        return ()
    answered = int(table.answered[place])
    return (
        share_figure(float(table.share[place]), answered, is_graded=is_graded),
        StripFigure("Entries counted", f"{answered:,}", counted_note(table)),
        discrimination_figure(float(table.discrimination[place]), answered),
    )


def share_figure(share: float, answered: int, *, is_graded: bool) -> StripFigure:
    title = "Average credit" if is_graded else "Right"
    if not answered:
        return StripFigure(title, MISSING, "no ranked entry has a verdict here")
    low, high = share_interval(np.array(share), np.array(answered)).tolist()
    interval = interval_text(100 * low, 100 * high, "{:.0f}".format)
    return StripFigure(title, f"{100 * share:.0f} %", f"95 % interval {interval}")


def counted_note(table: QuestionTable) -> str:
    if table.countable > table.entries and table.entries == MOST_ENTRIES:
        return f"the first {MOST_ENTRIES:,} of {table.countable:,} ranked entries"
    return "ranked entries, duplicates counted once"


def discrimination_figure(value: float, answered: int) -> StripFigure:
    title = "Discrimination"
    if answered < FEWEST_ENTRIES:
        note = f"needs at least {FEWEST_ENTRIES} entries"
        return StripFigure(title, MISSING, note)
    if value != value:  # nan
        return StripFigure(title, MISSING, "all entries score the same here")
    note = "correlation of the score here with that on all other questions"
    return StripFigure(title, print_number(value, 2, signed=True), note)
