"""The page of what somebody handed in: chosen, in pages, and what may be done with each."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Case, Exists, F, IntegerField, OuterRef, QuerySet, Value, When
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmarks.models import Benchmark
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import team_name
from judging.models import JudgeRun
from leaderboard.models import BoardRow, Scoresheet
from leaderboard.results.entries.submission_states import STAGES, at_stage, states_of, why_unranked
from leaderboard.results.formatting import print_rank
from leaderboard.results.judges.seals import judge_seal
from leaderboard.web.board.asked import Asked, page_or_last
from leaderboard.web.board.choices import MOST_WORDS, query_url

PER_PAGE = 25
"""A row is four lines high where its table is narrow, and a card has eight on a phone."""

SEEN_BY = {"public": "everyone", "private": "you or your team alone"}
NO_FILTER = "There is no filter “{}” here; showing all entries."


@login_required
@never_cache
@require_safe
def my_entries(request: HttpRequest) -> HttpResponse:
    page = my_entries_page(request.user, request.GET)
    return render(request, "submissions/mine.html", {"page": page})


def my_entries_page(user: Any, query: QueryDict) -> dict[str, Any]:
    """The submissions of the user and their teams, those that wait for them first. What cannot be
    read in `query` is left out with a note. `has_any`: whether anything was handed in at all;
    `is_chosen`: whether these are not all."""
    asked = Asked(query)
    titles = dict(Benchmark.objects.order_by("title").values_list("slug", "title"))
    chosen = {
        "q": asked.search(),
        "benchmark": asked.one_of("benchmark", titles, NO_FILTER),
        "state": asked.one_of("state", STAGES, NO_FILTER),
        "seen": asked.one_of("seen", SEEN_BY, NO_FILTER),
    }
    mine = Submission.objects.held_by(user)
    paginator = Paginator(fitting(mine, chosen), PER_PAGE)
    shown = page_or_last(paginator, asked.page(), asked.notes)
    return {
        "notes": asked.notes,
        "search": chosen["q"],
        "choices": [
            ("benchmark", "Benchmark", titles, chosen["benchmark"]),
            ("state", "State", STAGES, chosen["state"]),
            ("seen", "Seen by", SEEN_BY, chosen["seen"]),
        ],
        "is_chosen": any(chosen.values()),
        "has_any": bool(paginator.count) or mine.exists(),
        "lines": my_entry_lines(list(shown)),
        "shown": shown,
        "url": f"{reverse('my-entries')}{query_url(chosen)}",
    }


def fitting(mine: QuerySet[Submission], chosen: Mapping[str, str]) -> QuerySet[Submission]:
    """Each word of the search in the name of the model."""
    found = mine.select_related("model", "release__benchmark", "team__public_name")
    for word in chosen["q"].split()[:MOST_WORDS]:
        found = found.filter(model__name__icontains=word)
    if chosen["benchmark"]:
        found = found.filter(release__benchmark__slug=chosen["benchmark"])
    if chosen["seen"]:
        found = found.filter(visibility=chosen["seen"], withdrawn__isnull=True)
    if chosen["state"]:
        found = at_stage(found, chosen["state"])
    return by_turn(found)


def by_turn(found: QuerySet[Submission]) -> QuerySet[Submission]:
    """What waits for its owner first: to confirm, paused, scored and private. Then what is under
    way, what is public, and what is withdrawn; within each the newest first. Only what is neither
    scored nor withdrawn has its runs looked up."""
    paused = Exists(JudgeRun.objects.filter(submission=OuterRef("pk"), paused__isnull=False))
    turns = (
        When(withdrawn__isnull=False, then=Value(5)),
        When(confirmed__isnull=True, then=Value(0)),
        When(finished__isnull=False, visibility="public", then=Value(4)),
        When(finished__isnull=False, then=Value(2)),
        When(paused, then=Value(1)),
    )
    turn = Case(*turns, default=Value(3), output_field=IntegerField())
    return found.order_by(turn, "-created", "id")


# --- a page of them -------------------------------------------------------------------------------


def my_entry_lines(found: Collection[Submission]) -> list[dict[str, Any]]:
    """Four queries, by the keys of these. figure: of the judge that was asked first, on whose
    `sheet` it is. rank: its range on the board as it is stored; where it is empty `unranked` says
    why."""
    keys = [submission.pk for submission in found]
    sheets = first_sheets(keys)
    rows = stored_rows(sheet.pk for sheet in sheets.values())
    under_way = Submission.objects.not_withdrawn().filter(replaces__in=keys)
    replaced = set(under_way.order_by().values_list("replaces", flat=True))
    states = states_of(found)
    lines = []
    for submission in found:
        sheet = sheets.get(submission.pk)
        row = rows.get(sheet.pk) if sheet else None
        board = protocol_of(submission.release).board
        metric = board.METRICS[board.BOARD.ranking]
        packed = sheet.board_figures.get(metric.name) if sheet else None
        is_open = sheet is None and not submission.withdrawn
        unranked = "no score yet" if is_open else why_unranked(submission, row)
        lines.append(
            {
                "submission": submission,
                "state": states[submission.pk],
                "team": team_name(submission.team) if submission.team else "",
                "metric": metric,
                "figure": MetricValue.unpacked(packed) if packed else None,
                "judge": judge_seal(sheet.judge_spec) if sheet else None,
                "rank": print_rank(row.best, row.worst) if row and not unranked else "",
                "unranked": unranked,
                "actions": actions_of(submission, sheet, is_replaced=submission.pk in replaced),
            }
        )
    return lines


def first_sheets(keys: Collection[UUID]) -> Mapping[UUID, Scoresheet]:
    """By submission, the scoresheet of the judge that was asked first."""
    read = Scoresheet.objects.only(
        "submission_id",
        "judge_spec__slug",
        "judge_spec__kind",
        "judge_spec__model",
        "board_figures",
        "computed",
        "unreadable",
        "failed",
    )
    found: dict[UUID, Scoresheet] = {}
    for sheet in read.filter(submission__in=keys).select_related("judge_spec").order_by("run"):
        found.setdefault(sheet.submission_id, sheet)
    return found


def stored_rows(sheets: Iterable[int]) -> Mapping[int, BoardRow]:
    """By scoresheet, its row on the board as it is stored, unless that knows an earlier score."""
    rows = BoardRow.objects.filter(sheet__in=list(sheets), edition__replaced__isnull=True)
    shown = rows.filter(scored__gte=F("sheet__computed"))
    return {row.sheet_id: row for row in shown.only("sheet_id", "rank", "best", "worst")}


def actions_of(
    submission: Submission, sheet: Scoresheet | None, *, is_replaced: bool
) -> list[tuple[str, str]]:
    """Title and address of what may be done with it now. Each leads to a page that says what
    follows."""
    if submission.withdrawn:
        return []

    def to(title: str, name: str, query: str = "") -> tuple[str, str]:
        return title, f"{reverse(name, args=[submission.pk])}{query}"

    if not submission.confirmed:
        return [to("Confirm", "submission"), to("Cancel", "submission-withdraw")]
    is_public = submission.visibility == Submission.Visibility.PUBLIC
    title, wanted = ("Make private", "private") if is_public else ("Publish", "public")
    found = [to(title, "submission-visibility", f"?visibility={wanted}")]
    if sheet and sheet.unreadable + sheet.failed:
        judge = f"?judge={sheet.judge_spec.slug}"
        found.append(to("Retry what failed", "submission-retry", judge))
    if submission.release.is_open and not is_replaced:
        found.append(to("Replace", "submission-replace"))
    return [*found, to("Withdraw", "submission-withdraw")]
