"""Whether rows fit what is stored: their entries and items, the dimensions asked of these, and
earlier ratings.

A file is looked up in blocks of entries, never row by row.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from uuid import UUID

from benchmarks.models import Release
from benchmarks.protocols.base import Dimension, Problem, Upload
from benchmarks.protocols.files import visible
from benchmarks.protocols.files.limits import MAX_PROBLEMS
from benchmarks.protocols.files.lookalikes import Lookalikes
from benchmarks.protocols.files.text import quoted
from benchmarks.selectors import protocol_of, question_views
from benchmarks.submissions.models import Answer, Submission
from judging.panel.models import Rating
from judging.panel.reading import (
    LABELS,
    UNCLEAR,
    PlainReadings,
    RatingRow,
    other_writing,
    read_rows,
)

ENTRIES_AT_ONCE = 200  # whose answers are held in memory at once


@dataclass(frozen=True, slots=True)
class NewRating:
    submission_id: UUID
    answer_id: int
    rater: str
    dimension: str
    score: int


@dataclass(frozen=True, slots=True)
class RatingReading:
    """`ratings` in file order, complete if and only if there is no problem."""

    ratings: tuple[NewRating, ...]
    problems: tuple[Problem, ...] = ()


def read_ratings(upload: Upload) -> RatingReading:
    """Every rating of the file, or every problem found in it, sorted by line."""
    read = read_rows(upload)
    return checked(read.rows, read.problems)


def checked(
    rows: Sequence[RatingRow], found: Sequence[Problem] = (), *, of_withdrawn: bool = False
) -> RatingReading:
    """The ratings of rows against which nothing was found by themselves, or what was `found` in
    them and what the database says against them. `of_withdrawn`: of withdrawn entries as well."""
    check = Check(rows, of_withdrawn=of_withdrawn)
    ratings = tuple(check.ratings())
    problems = [*found, *check.problems]
    return RatingReading((), capped(problems)) if problems else RatingReading(ratings)


def capped(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    ordered = sorted(problems, key=lambda problem: problem.line or 0)
    if len(ordered) <= MAX_PROBLEMS:
        return tuple(ordered)
    more = Problem("more", f"And {len(ordered) - MAX_PROBLEMS} more problems.")
    return (*ordered[:MAX_PROBLEMS], more)


class Questionnaire:
    """What people are asked about the questions of one release, by public id and dimension; empty
    without a panel."""

    def __init__(self, release: Release) -> None:
        panel = protocol_of(release).panel
        self.benchmark = release.benchmark.title
        self.asked: dict[str, Mapping[str, Dimension]] = {}
        if panel is not None:
            views = question_views(release)
            self.asked = {
                view.public_id: {d.slug: d for d in panel.dimensions(view)} for view in views
            }
        self.lookalikes = Lookalikes(tuple(self.asked))


class Check:
    """Checks rows against the database and collects what is wrong with them."""

    def __init__(self, rows: Sequence[RatingRow], *, of_withdrawn: bool = False) -> None:
        self.rows = rows
        self.of_withdrawn = of_withdrawn
        self.problems: list[Problem] = []
        self._of_release: dict[int, Questionnaire] = {}
        self._readings = PlainReadings()

    def ratings(self) -> Iterator[NewRating]:
        """The ratings of the rows that fit; `problems` has the others afterwards."""
        by_entry: dict[str, list[RatingRow]] = {}
        for row in self.rows:
            by_entry.setdefault(row.entry, []).append(row)
        entries = list(by_entry)
        for start in range(0, len(entries), ENTRIES_AT_ONCE):
            yield from self._block(
                {entry: by_entry[entry] for entry in entries[start : start + ENTRIES_AT_ONCE]}
            )

    def _block(self, by_entry: Mapping[str, list[RatingRow]]) -> Iterator[NewRating]:
        submissions = known_submissions(by_entry, of_withdrawn=self.of_withdrawn)
        fitting: list[tuple[RatingRow, UUID, int]] = []
        for entry, rows in by_entry.items():
            questionnaire = self._questionnaire(submissions.get(entry), rows)
            if questionnaire is not None:
                scores = ((row, self._score(row, questionnaire)) for row in rows)
                fitting += [
                    (row, submissions[entry].pk, score)
                    for row, score in scores
                    if score is not None
                ]
        answers = answer_ids({(submission, row.item) for row, submission, _ in fitting})
        stored = stored_ratings({submission for _, submission, _ in fitting}, self._readings)
        for row, submission, score in fitting:
            rating = NewRating(
                submission, answers[submission, row.item], row.rater, row.dimension, score
            )
            earlier = stored.get((rating.answer_id, self._readings[rating.rater], rating.dimension))
            if earlier is not None:
                self.problems.append(rated_before(row, earlier))
            yield rating

    def _questionnaire(
        self, submission: Submission | None, rows: Sequence[RatingRow]
    ) -> Questionnaire | None:
        """None, and one problem for all the rows, where nothing can be said about the entry."""
        if submission is None:
            self.problems.append(unknown_entry(rows))
            return None
        if submission.release_id not in self._of_release:
            self._of_release[submission.release_id] = Questionnaire(submission.release)
        questionnaire = self._of_release[submission.release_id]
        if not questionnaire.asked:
            self.problems.append(no_panel(rows, questionnaire.benchmark))
            return None
        return questionnaire

    def _score(self, row: RatingRow, questionnaire: Questionnaire) -> int | None:
        """None, and a problem, where the row does not fit: without a known item there is no
        dimension, without that no scale. A label that is none was told when the file was read."""
        asked = questionnaire.asked.get(row.item)
        if asked is None:
            self.problems.append(unknown_item(row, questionnaire.lookalikes))
            return None
        dimension = asked.get(row.dimension)
        if dimension is None:
            self.problems.append(unasked_dimension(row, asked))
            return None
        if row.is_label:
            return self._label(row, dimension)
        score = scale(dimension).get(row.score)
        if score is None:
            self.problems.append(no_score(row, dimension))
        return score

    def _label(self, row: RatingRow, dimension: Dimension) -> int | None:
        score = dimension.unclear if row.score == UNCLEAR else LABELS.get(row.score)
        if score is None and row.score == UNCLEAR:
            self.problems.append(no_score(row, dimension))
        return score


# --- what is stored -------------------------------------------------------------------------------


def known_submissions(
    entries: Collection[str], *, of_withdrawn: bool = False
) -> dict[str, Submission]:
    """Submissions that may be rated, by the id as it stands on their page."""
    ids = [UUID(entry) for entry in entries if page_id(entry) == entry]
    known = Submission.objects.confirmed()
    if not of_withdrawn:
        known = known.not_withdrawn()
    found = known.filter(pk__in=ids).select_related("release__benchmark")
    return {str(submission.pk): submission for submission in found}


def page_id(entry: str) -> str | None:
    """An id as addresses have it, from any of the ways to write one; None where it is none."""
    try:
        return str(UUID(entry))
    except ValueError:
        return None


def answer_ids(wanted: Collection[tuple[UUID, str]]) -> dict[tuple[UUID, str], int]:
    """The answer by submission and public id."""
    rows = Answer.objects.filter(submission__in={submission for submission, _ in wanted})
    found = rows.values_list("submission_id", "question__public_id", "pk").iterator()
    return {
        (submission, item): pk for submission, item, pk in found if (submission, item) in wanted
    }


def stored_ratings(
    submissions: Collection[UUID], readings: Mapping[str, str]
) -> dict[tuple[int, str, str], str]:
    """The rater of every standing rating of the submissions, by answer, plain reading of the name,
    and dimension."""
    rows = Rating.objects.not_withdrawn().filter(answer__submission__in=submissions)
    found = rows.values_list("answer_id", "rater", "dimension").iterator()
    return {(answer, readings[rater], dimension): rater for answer, rater, dimension in found}


# --- what is wrong --------------------------------------------------------------------------------


@cache
def scale(dimension: Dimension) -> Mapping[str, int]:
    """Every score of the dimension by its one writing: "4.0", "04" and " 4" are none."""
    return {str(score): score for score in dimension.values}


def no_score(row: RatingRow, dimension: Dimension) -> Problem:
    message = f"This is no score on the dimension {quoted(dimension.slug)}."
    expected = f"a whole number from {dimension.low} to {dimension.high}"
    if dimension.unclear is not None:
        expected += f", or {dimension.unclear} where it cannot be told"
    return Problem("score", message, row.line, "score", expected, visible(row.score))


def unknown_entry(rows: Sequence[RatingRow]) -> Problem:
    entry = rows[0].entry
    message = (
        f"{quoted(entry)} is no entry, or one that is withdrawn or not confirmed.{in_rows(rows)}"
    )
    meant = page_id(entry)
    expected = "the id of an entry, as in the address of its page"
    if meant is not None and meant != entry:
        expected = f"{meant}, if this id was meant"
    return Problem("unknown", message, rows[0].line, "entry", expected, visible(entry))


def no_panel(rows: Sequence[RatingRow], benchmark: str) -> Problem:
    message = f"This is an entry of {benchmark}, whose answers people do not rate.{in_rows(rows)}"
    expected = "an entry of a benchmark with a panel"
    return Problem("no-panel", message, rows[0].line, "entry", expected, visible(rows[0].entry))


def in_rows(rows: Sequence[RatingRow]) -> str:
    return f" In {len(rows)} rows." if len(rows) > 1 else ""


def unknown_item(row: RatingRow, lookalikes: Lookalikes) -> Problem:
    message = f"{quoted(row.item)} is not an id of this entry's release."
    close = lookalikes.find(row.item)
    if close:
        message += f" {close.question}"
    expected = visible(close.id) if close else "an id of this entry's release"
    return Problem("unknown", message, row.line, "item", expected, visible(row.item))


def unasked_dimension(row: RatingRow, asked: Mapping[str, Dimension]) -> Problem:
    message = f"People are not asked for {quoted(row.dimension)} of this item."
    expected = " or ".join(asked) or "an item that people rate"
    column = "label" if row.is_label else "dimension"
    return Problem("dimension", message, row.line, column, expected, visible(row.dimension))


def rated_before(row: RatingRow, stored_rater: str) -> Problem:
    message = (
        "This rater's score of the answer is stored already. Withdraw the file it came with to "
        "correct it."
    )
    message += other_writing(stored_rater, row.rater)
    return Problem(
        "stored",
        message,
        row.line,
        "rater",
        "each rater once per item and dimension",
        visible(row.rater),
    )
