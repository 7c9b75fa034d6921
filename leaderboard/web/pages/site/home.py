"""The home page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from benchmarks.models import Benchmark, Release
from benchmarks.registry import protocol, protocols
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import EvaluatedModel, Submission
from leaderboard.models import JudgeRecord, Scoresheet
from leaderboard.results.formatting import MISSING
from leaderboard.results.judges.records import Record
from leaderboard.results.selectors import BoardReading
from leaderboard.web.board.comparison import print_score
from leaderboard.web.board.strips import score_strip
from leaderboard.web.pages.models.model_list import matching
from leaderboard.web.pages.models.places import first_readings, model_lines
from leaderboard.web.pages.site.home_example import example_of

TOP = 10  # of each board, drawn as a strip
MOST_NAMED = 2  # besides the leader
MOST_LINES = 8  # models by boards: more are on a page of their own
LATEST = 4  # models: as many as stand beside the way to submit one

NEWEST_READ = 100
"""Entries, of which the newest of each model are shown: one model stands on some six boards."""


@require_safe
@cache_control(public=True, max_age=86_400)
def favicon(request: HttpRequest) -> HttpResponse:
    """Browsers ask for it where a page names no icon of its own: in the admin, beside JSON and
    files."""
    return redirect(static("seal.svg"))


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "site/home.html", {"page": home_page()})


def home_page() -> dict[str, Any]:
    """is_hidden: every board is of a hidden test. has_samples: whether some of the models shown are
    made up, to show how the site works."""
    readings = first_readings(TOP)
    read = [reading for reading in readings.values() if reading is not None]
    cards = [card_of(benchmark, reading) for benchmark, reading in readings.items()]
    return {
        "cards": cards,
        "boards": [card for card in cards if not card["whole"]],
        "parts": [card for card in cards if card["whole"]],
        "lines": model_lines(leading_models(read), read),
        "latest": latest_lines(),
        "models": matching("").count(),
        "answers": answers_confirmed(),
        "judgements": verdicts_scored(),
        "example": example_among(read),
        "takes_submissions": Release.objects.accepting().exists(),
        "is_hidden": bool(cards) and all(card.get("is_hidden_test") for card in cards),
        "has_samples": any(entry.origin == "sample" for reading in read for entry in reading.rows),
    }


def example_among(readings: Iterable[BoardReading]) -> dict[str, Any] | None:
    """One number followed down, of the first board on which somebody leads; one with a picture and
    a reference that everybody may read, if there is any. Boards behind that one are not asked."""
    first = None
    for reading in readings:
        found = example_of(reading)
        if found and found["image"] and found["reference"]:
            return found
        first = first or found
    return first


def title_of_whole(slug: str) -> str:
    whole = protocol(slug).part_of
    return protocols()[whole].title if whole in protocols() else ""


def verdicts_scored() -> int:
    """Verdicts by the records of judges: a row per judge, not one per scoresheet."""
    totals = JudgeRecord.objects.values_list("totals", flat=True)
    return sum(Record.unpacked(packed).judged for packed in totals)


def answers_confirmed() -> int:
    """Counted by submissions, each of which answers every question of its release: of the answers
    themselves there are a thousand times as many."""
    confirmed = Submission.objects.confirmed().order_by().values_list("release__question_count")
    return sum(questions * count for questions, count in confirmed.annotate(Count("pk")))


def card_of(benchmark: Benchmark, reading: BoardReading | None) -> dict[str, Any]:
    """A benchmark on the home page. counts: None where the board is large and was never stored;
    whole: title of the benchmark in whose paper it stands, "" for one of its own."""
    card = {
        "benchmark": benchmark,
        "summary": protocol(benchmark.slug).board.BOARD.summary,
        "whole": title_of_whole(benchmark.slug),
        "counts": reading.counts if reading else None,
    }
    return {**card, **leaders_of(reading)} if reading else card


def leaders_of(reading: BoardReading) -> dict[str, Any]:
    """The leader of a board, up to MOST_NAMED others that may lead (`others`: how many more), and
    its best as a strip of intervals; without a leader where nobody leads now, and of a hidden
    test."""
    leader = reading.leader
    if reading.is_hidden_test or leader is None or leader.scored_since:
        return {"is_hidden_test": reading.is_hidden_test}
    ranked = [entry for entry in reading.rows if entry.rank and not entry.scored_since]
    metric = reading.metrics[reading.board.ranking]
    may_lead = [one for one in ranked if one.may_be_first and one.id != leader.id]
    return {
        "leader": leader,
        "score": print_score(metric, leader.value(metric.name)),
        "may_lead": may_lead[:MOST_NAMED],
        "others": len(may_lead[MOST_NAMED:]),
        "strip": score_strip(metric, ranked),
    }


# --- models by boards -----------------------------------------------------------------------------


def leading_models(readings: Sequence[BoardReading]) -> list[EvaluatedModel]:
    """The models that are placed best over all boards."""
    ranks: Counter[int] = Counter()
    for reading in readings:
        best: dict[int, int] = {}
        for entry in reading.rows:
            if entry.rank and entry.rank_best and not entry.is_gone:
                best.setdefault(entry.model_id, entry.rank)
        ranks.update({model: TOP + 1 - rank for model, rank in best.items()})
    chosen = [model for model, _ in ranks.most_common(MOST_LINES)]
    models = EvaluatedModel.objects.filter(slug__isnull=False).in_bulk(chosen)
    return [models[key] for key in chosen if key in models]


def latest_lines() -> list[dict[str, Any]]:
    """The newest public entries that are not baselines, one of each model, under whichever judge
    scored them last."""
    judged = Exists(Scoresheet.objects.filter(submission=OuterRef("pk")))
    public = Submission.objects.public().filter(judged)
    shown = public.exclude(origin=Submission.Origin.BASELINE)
    newest: dict[int, UUID] = {}
    for pk, model in shown.order_by("-created", "-pk").values_list("pk", "model")[:NEWEST_READ]:
        newest.setdefault(model, pk)
    ids = dict(islice(newest.items(), LATEST))
    sheets = Scoresheet.objects.defer(
        "figures", "draws", "lengths", "item_scores", "ability_moves"
    ).order_by("computed")
    found = (
        Submission.objects.filter(pk__in=ids.values())
        .select_related("model", "release__benchmark")
        .prefetch_related(Prefetch("scoresheets", sheets))
        .order_by("-created", "-pk")
    )
    return [{"submission": one, "score": latest_score(one)} for one in found]


def latest_score(submission: Submission) -> str:
    *_, sheet = submission.scoresheets.all()
    board = protocol_of(submission.release).board
    metric = board.METRICS[board.BOARD.ranking]
    # A sheet of older formulas, until it is made anew, may lack what its board is ranked by now.
    packed = sheet.board_figures.get(metric.name)
    return print_score(metric, MetricValue.unpacked(packed).value) if packed else MISSING
