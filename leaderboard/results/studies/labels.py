"""What a file of ratings says, as arrays: for each release and dimension the votes of its raters on
answers of public entries, and what judges say of the same answers.

Entries that are not public take no part: neither named nor in any figure.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from uuid import UUID

import numpy as np

from benchmarks.models import Question, Release
from benchmarks.protocols.base import Dimension, PanelPort
from benchmarks.selectors import protocol_of, question_views
from benchmarks.statistics.agreement import Labels, Level
from benchmarks.statistics.resampling import Floats
from judging.models import Judgement
from judging.panel.models import Rating, RatingFile, Study
from judging.panel.studies.votes import counted_votes, file_name_of
from judging.panel.truths import moment_of, truth_changes
from leaderboard.models import Scoresheet
from leaderboard.results.selectors import public_sheets

IDS_AT_ONCE = 500  # keys of one statement; SQLite takes 999 for certain
MOST_RATERS = 50
"""Of a study that are told one by one. A file may name another person in every row: a column for
each of ten thousand took a gigabyte."""
MOST_JUDGES = 20
"""Of a release, those with the most of the rated entries: each is a table of its own."""


@dataclass(frozen=True, slots=True)
class RatedAnswers:
    """N answers of one release that people were asked the same about.

    answers, submissions, abilities: of each, (N,). raters: how many there are. labels: those with
    the most votes (MOST_RATERS) have a column each; names: what files call them. numbers: by which
    alone reports name them: a study's raters by their own, which its pages and votes have as well;
    of a file from elsewhere in the order of their first rating. outdated: ratings under a label or
    reference that was corrected since, which are in nothing else (judging/panel/truths.py).
    """

    release: Release
    dimension: Dimension
    answers: tuple[int, ...]
    submissions: tuple[UUID, ...]
    abilities: tuple[str, ...]
    raters: int
    outdated: int
    names: tuple[str, ...]
    numbers: tuple[int, ...]
    labels: Labels


@dataclass(frozen=True, slots=True)
class JudgeWords:
    """What a judge says of each answer, (N,), nan where it says nothing; asked: whether it judged
    the answer's entry."""

    spec: int
    verdicts: Floats
    asked: Floats


Row = tuple[int, UUID, int, str, int]
"""Of a rating: answer, submission, question, rater, score."""


def rated_answers(file: RatingFile, public: Iterable[UUID]) -> Iterator[RatedAnswers]:
    """By release and dimension, in the order of the file, or of all files of its study that are not
    withdrawn; `public` are the entries that count."""
    files = file.study.files.not_withdrawn() if file.study else [file]
    ratings = Rating.objects.filter(file__in=files, answer__submission__in=set(public))
    rows: defaultdict[tuple[int, str], list[Row]] = defaultdict(list)
    columns = (
        "answer__submission__release",
        "dimension",
        "answer",
        "answer__submission",
        "answer__question",
        "rater",
        "score",
    )
    for release, dimension, *row in ratings.order_by("pk").values_list(*columns).iterator():
        rows[release, dimension].append((row[0], row[1], row[2], row[3], row[4]))
    return rated_answers_of(rows, moment_of(file), file.study)


def voted_answers(
    study: Study, public: Iterable[UUID], without: Collection[int]
) -> Iterator[RatedAnswers]:
    """Voted answers by a study's votes, without those of raters with these numbers."""
    submissions = set(public)
    rows: defaultdict[tuple[int, str], list[Row]] = defaultdict(list)
    for vote in counted_votes(study, without):
        if vote.submission in submissions:
            row = (vote.answer, vote.submission, vote.question, vote.rater, vote.value)
            rows[study.release_id, vote.dimension].append(row)
    return rated_answers_of(rows, study.created, study)


def rated_answers_of(
    rows: Mapping[tuple[int, str], Sequence[Row]], moment: datetime, study: Study | None
) -> Iterator[RatedAnswers]:
    """moment: when what raters were shown was today's."""
    releases = Release.objects.select_related("benchmark").in_bulk({key for key, _ in rows})
    left = {key: truth_changes(one, moment).since(moment) for key, one in releases.items()}
    for (key, slug), of_dimension in rows.items():
        release = releases[key]
        counted = [row for row in of_dimension if row[2] not in left[key]]
        dimension = asked_dimension(release, slug, counted) if counted else None
        if dimension is not None:
            outdated = len(of_dimension) - len(counted)
            numbers = {file_name_of(study, n): n for n in numbers_of(study)} if study else None
            yield as_arrays(release, dimension, counted, outdated, numbers)


def asked_dimension(release: Release, slug: str, rows: Sequence[Row]) -> Dimension | None:
    """What people were asked, as the panel of the release has it; None where it asks that no
    more."""
    panel = protocol_of(release).panel
    if panel is None:
        return None
    views = {view.public_id: view for view in question_views(release)}
    first = Question.objects.filter(pk=rows[0][2]).values_list("public_id", flat=True).first()
    asked = panel.dimensions(views[first]) if first in views else ()
    return next((dimension for dimension in asked if dimension.slug == slug), None)


def numbers_of(study: Study) -> Iterable[int]:
    return study.raters.values_list("number", flat=True)


def as_arrays(
    release: Release,
    dimension: Dimension,
    rows: Sequence[Row],
    outdated: int,
    numbers: Mapping[str, int] | None,
) -> RatedAnswers:
    """numbers: of a study's raters by their names in files; None of a file from elsewhere."""
    answers = {row[0]: row for row in rows}
    places = {answer: place for place, answer in enumerate(answers)}
    counts = Counter(row[3] for row in rows)  # in the order of their first rating
    most = {rater for rater, _ in counts.most_common(MOST_RATERS)}
    first = {rater: place for place, rater in enumerate((r for r in counts if r in most), 1)}
    number_of = first if numbers is None else {rater: numbers[rater] for rater in first}
    named = {rater: place for place, rater in enumerate(sorted(first, key=number_of.__getitem__))}
    votes = votes_of(rows, places, named)
    by_key = dict(questions_of({row[2] for row in rows}))
    questions = [by_key[row[2]] for row in answers.values()]
    groups = {group: place for place, group in enumerate(dict.fromkeys(g for _, g in questions))}
    low, high = ends(dimension)
    votes[(votes < low) | (votes > high)] = np.nan
    return RatedAnswers(
        release=release,
        dimension=dimension,
        answers=tuple(answers),
        submissions=tuple(row[1] for row in answers.values()),
        abilities=tuple(ability for ability, _ in questions),
        raters=len(counts),
        outdated=outdated,
        names=tuple(named),
        numbers=tuple(number_of[rater] for rater in named),
        labels=Labels(
            votes,
            np.array([groups[group] for _, group in questions], dtype=np.int64),
            low,
            high,
            Level(dimension.level),
            len(named),
        ),
    )


def votes_of(rows: Sequence[Row], places: Mapping[int, int], named: Mapping[str, int]) -> Floats:
    """A column for each named rater; votes of others stand in those after them, wherever one is
    free."""
    others = Counter(row[0] for row in rows if row[3] not in named)
    votes = np.full((len(places), len(named) + max(others.values(), default=0)), np.nan)
    free: Counter[int] = Counter()
    for answer, _, _, rater, score in rows:
        column = named.get(rater)
        if column is None:
            column = len(named) + free[answer]
            free[answer] += 1
        votes[places[answer], column] = score
    return votes


def ends(dimension: Dimension) -> tuple[int, int]:
    """Of the scale; "cannot be told" is a third answer beside right and wrong where it has the
    number above them."""
    is_next = dimension.unclear == dimension.high + 1 and dimension.level == "nominal"
    return dimension.low, dimension.high + is_next


def questions_of(keys: Iterable[int]) -> Iterator[tuple[int, tuple[str, str]]]:
    """Ability and group by question."""
    for some in blocks(keys):
        rows = Question.objects.filter(pk__in=some)
        for key, ability, group in rows.values_list("pk", "subtask__ability__slug", "group"):
            yield key, (ability, group)


def blocks(keys: Iterable[int]) -> Iterator[list[int]]:
    ordered = iter(sorted(keys))
    while block := list(islice(ordered, IDS_AT_ONCE)):
        yield block


# --- judges ---------------------------------------------------------------------------------------


def judge_words(rated: RatedAnswers) -> Iterator[JudgeWords]:
    """Of each judge that scored any of the entries, those of most entries first."""
    panel = protocol_of(rated.release).panel
    sheets = Scoresheet.objects.filter(public_sheets(), submission__in=set(rated.submissions))
    runs: defaultdict[int, dict[UUID, int]] = defaultdict(dict)
    for spec, submission, run in sheets.values_list("judge_spec", "submission", "run"):
        runs[spec][submission] = run
    ordered = sorted(runs, key=lambda spec: (-len(runs[spec]), spec))
    for spec in ordered[:MOST_JUDGES]:
        if panel is not None:
            words = words_of(panel, rated, runs[spec])
            if not np.isnan(words).all():
                asked = np.array([one in runs[spec] for one in rated.submissions], dtype=float)
                yield JudgeWords(spec, words, asked)


def words_of(panel: PanelPort, rated: RatedAnswers, runs: Mapping[UUID, int]) -> Floats:
    """On the scale of the dimension; what lies beyond it is no word."""
    verdicts: defaultdict[int, dict[str, str | None]] = defaultdict(dict)
    judged = Judgement.objects.filter(run__in=runs.values(), state=Judgement.State.JUDGED)
    for some in blocks(rated.answers):
        found = judged.filter(answer__in=some).values_list("answer", "slot", "verdict")
        for answer, slot, verdict in found:
            verdicts[answer][slot] = verdict
    numbers = np.full(len(rated.answers), np.nan)
    for place, answer in enumerate(rated.answers):
        word = panel.judge_says(rated.dimension.slug, verdicts[answer])
        if word is not None and rated.labels.low <= word <= rated.labels.high:
            numbers[place] = word
    return numbers
