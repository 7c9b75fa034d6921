"""The page of an entry: from the metrics of a submission down to each reply behind them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from benchmarks.protocols.base import BenchmarkProtocol, Metric
from benchmarks.scoring.sheets import MetricValue
from benchmarks.selectors import protocol_of
from benchmarks.submissions.facts import printed_facts
from benchmarks.submissions.models import Submission
from benchmarks.submissions.naming.public_names import handed_in_by, public_name
from benchmarks.submissions.selectors import is_held_by
from leaderboard.models import Scoresheet
from leaderboard.results.entries.standing import (
    flag_lines,
    standing_of,
    verification_words,
    verified_team,
)
from leaderboard.results.formatting import (
    MISSING,
    StripFigure,
    no_interval,
    print_interval,
    print_rank,
    print_share,
    print_value,
    scale,
    why_missing,
)
from leaderboard.results.judges.seals import judge_seal
from leaderboard.results.selectors import (
    MOST_FOLDED,
    BoardEntry,
    BoardNotStoredError,
    BoardPart,
    BoardReading,
    NoSuchEraError,
    outdated_texts_of,
    read_board,
    read_by_measure,
    visible_sheet,
)
from leaderboard.web.board.asked import Asked
from leaderboard.web.board.choices import Choice
from leaderboard.web.board.comparison import after_score
from leaderboard.web.pages.entries.field import NEIGHBOURS, field_of, unplaced_entry
from leaderboard.web.pages.entries.questions import QuestionFilter, judged_answers, question_list
from leaderboard.web.pages.entries.retry_offer import retry_offer
from leaderboard.web.pages.entries.tombstone import tombstone_page
from leaderboard.web.pages.entries.worth_reading import worth_reading

SECTIONS_OPEN = 4


@require_safe
def entry(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """410 with what is left of one that was public and is withdrawn, for its owner too."""
    try:
        sheet = visible_sheet(request.user, submission_id, request.GET.get("judge", ""))
    except Http404:
        if stone := tombstone_page(submission_id, request.user):
            return render(request, "entries/tombstone.html", {"page": stone}, status=410)
        raise
    if sheet.submission.withdrawn and (stone := tombstone_page(submission_id, request.user)):
        return render(request, "entries/tombstone.html", {"page": stone}, status=410)
    chosen = QuestionFilter(
        asked=Asked(request.GET),
        subtask=request.GET.get("subtask", ""),
        outcome=request.GET.get("outcome", ""),
        is_asked=any(name in request.GET for name in ("page", "subtask", "outcome")),
    )
    page = entry_page(sheet, chosen, is_owner=is_held_by(request.user, sheet.submission))
    return render(request, "entries/entry.html", {"page": page})


def entry_page(sheet: Scoresheet, chosen: QuestionFilter, *, is_owner: bool) -> dict[str, Any]:
    """`replaced`: the earlier entry whose place it took, where that was public. `reading`: what is
    judged of the answers and what is not, where that is not all their file says. `verified`: when,
    by whom and why; `verifications`: day, what, by whom and why of every decision about the
    badge."""
    submission = sheet.submission
    family = protocol_of(submission.release)
    figures = {name: MetricValue.unpacked(packed) for name, packed in sheet.figures.items()}
    is_public = submission.visibility == Submission.Visibility.PUBLIC
    reading = reading_with(sheet, near=NEIGHBOURS)
    entry = entry_of(reading, submission.id) if reading and is_public else None
    metric = family.board.METRICS[family.board.BOARD.ranking]
    sections = metric_sections(family, figures)
    rows = judged_answers(sheet, family)
    others = submission.scoresheets.select_related("judge_spec").order_by("judge_spec__slug")
    return {
        "sheet": sheet,
        "facts": printed_facts(submission.model),
        "reading": tuple(
            note["message"]
            for note in submission.reading_notes
            if note["code"] in ("thinking", "unclear-thinking")
        ),
        "handed_in_by": handed_in_by(submission),
        "verified_team": verified_team(submission.team),
        "replaced": replaced_by_it(submission),
        "verified": verification_words(submission),
        "verifications": verification_lines(submission),
        "judge": judge_seal(sheet.judge_spec),
        "judges": tuple(
            Choice(
                judge_seal(o.judge_spec).label,
                f"?judge={o.judge_spec.slug}",
                o.pk == sheet.pk,
                o.judged,
            )
            for o in others
        ),
        "submissions_made": Submission.objects.confirmed().filter(model=submission.model).count(),
        "score": score_figure(sheet, metric, figures),
        "after_score": after_score(metric),
        "strip": strip(sheet, entry),
        "field": field_of(reading, entry or unplaced_entry(sheet), is_public=is_public)
        if reading and submission.release.verdicts_are_public
        else None,
        "worth_reading": worth_reading(sheet, rows),
        "standing": standing_block(sheet, reading, entry),
        "sections": sections,
        "figure_count": sum(len(section["lines"]) for section in sections),
        "scopes": scope_table(family, figures),
        "questions": question_list(sheet, family, rows, chosen),
        "questions_are_open": chosen.is_asked,
        "answer_count": len(rows),
        "cautions": cautions(sheet, entry),
        "is_owner": is_owner,
        "is_public": is_public and reading is not None,
        "retry": retry_offer(sheet.run, is_owner=is_owner),
    }


def replaced_by_it(submission: Submission) -> UUID | None:
    if submission.replacement_settled is None or submission.replaces_id is None:
        return None
    earlier = Submission.objects.filter(
        pk=submission.replaces_id, replaced_by=submission.pk, was_public=True
    )
    return earlier.values_list("pk", flat=True).first()


SCORE_NOTE = "randomly rounded to a coarse step; no interval is shown"
"""Beside the score of an entry of a hidden test."""


def score_figure(
    sheet: Scoresheet, metric: Metric, figures: Mapping[str, MetricValue]
) -> StripFigure:
    value = print_value(metric, sheet.ranking)
    if not sheet.submission.release.verdicts_are_public:
        return StripFigure(metric.title, value, SCORE_NOTE)
    return StripFigure(metric.title, value, print_interval(metric, figures[metric.name]))


def strip(sheet: Scoresheet, entry: BoardEntry | None) -> tuple[StripFigure, ...]:
    """What the score rests on; nothing of it is told of a hidden test."""
    if not sheet.submission.release.verdicts_are_public:
        return ()
    placed = None if entry and entry.scored_since else entry  # else its rank follows
    return (
        StripFigure(
            "Rank range",
            print_rank(placed.rank_best, placed.rank_worst) if placed else MISSING,
            "could be first (95 %)" if placed and placed.may_be_first else "possible ranks (95 %)",
        ),
        StripFigure(
            "Coverage",
            print_share(sheet.coverage),
            f"of scored answers; {sheet.judged:,} judgements with a verdict",
        ),
        StripFigure(
            "Failed", f"{sheet.failed:,}", "judgements were refused, cut short or abandoned"
        ),
    )


def cautions(sheet: Scoresheet, entry: BoardEntry | None) -> tuple[StripFigure, ...]:
    """What a reader of the score must know, where there is any of it."""
    if not sheet.submission.release.verdicts_are_public:
        return ()
    found = [
        *older_texts(sheet, entry),
        StripFigure("Unreadable", f"{sheet.unreadable:,}", "replies could not be parsed")
        if sheet.unreadable
        else None,
        StripFigure("Failed", f"{sheet.failed:,}", "refused, cut short or abandoned")
        if sheet.failed
        else None,
        StripFigure("Excluded", f"{sheet.excluded:,}", "left out by people")
        if sheet.excluded
        else None,
    ]
    return tuple(filter(None, found))


def verification_lines(submission: Submission) -> tuple[tuple[datetime, str, str, str], ...]:
    """Every decision about the badge, the newest first: day, what, by whom, why."""
    if not submission.verification_id:
        return ()
    found = submission.verification_decisions.select_related("decided_by__public_name")
    return tuple(
        (
            made.decided,
            "Verified" if made.is_verified else "No longer verified",
            public_name(made.decided_by),
            made.reason,
        )
        for made in found
    )


def older_texts(sheet: Scoresheet, entry: BoardEntry | None) -> tuple[StripFigure, ...]:
    """How many answers were judged by other texts than today's, where any were."""
    outdated = entry.texts if entry else outdated_texts_of(sheet)
    answers = sheet.submission.release.question_count
    if not (sentence := outdated.sentence(answers)):
        return ()
    count = outdated.older + outdated.unknown
    where = "; the answers say which" if outdated.older else ""
    return (StripFigure("Other texts", f"{count:,}", f"{sentence}{where}"),)


def reading_with(sheet: Scoresheet, *, near: int = 0) -> BoardReading | None:
    """The board of its era, of which nothing is read but this entry and `near` rows on either side
    of it, or of where its score would be while it is not public, and with these the baselines.
    None of what was withdrawn, of an era without a public entry, and of a board that is large and
    was never stored."""
    submission = sheet.submission
    if submission.withdrawn:
        return None
    is_public = submission.visibility == submission.Visibility.PUBLIC
    part = BoardPart(
        count=0,
        also=frozenset([submission.id]),
        baselines=near > 0,
        near=near,
        score=None if is_public else sheet.ranking,
    )
    try:
        return read_by_measure(read_era(sheet, part), "")
    except (BoardNotStoredError, NoSuchEraError):
        return None


def read_era(sheet: Scoresheet, part: BoardPart) -> BoardReading:
    release = sheet.submission.release
    return read_board(
        release.benchmark, release=release.slug, judge=sheet.judge_spec.slug, part=part
    )


def entry_of(reading: BoardReading, entry: UUID) -> BoardEntry | None:
    """None while a large board that it came to is being placed."""
    return next((found for found in reading.also if found.id == entry), None)


def standing_block(
    sheet: Scoresheet, reading: BoardReading | None, entry: BoardEntry | None
) -> dict[str, Any] | None:
    """What is remarkable about an entry. `equals`: entries with the same answers, the first of
    `equal_count`; `flags`: title, how many answers, the rule. None where nothing is remarkable,
    nothing was decided, and no public entry has the same answers."""
    submission = sheet.submission
    standing = (
        entry.standing
        if entry
        else standing_of(submission, is_by_rules=sheet.judge_spec.is_offline)
    )
    count, equals = equal_entries(sheet, reading, entry) if reading and entry else (0, [])
    if not standing.sentence and not equals:
        return None
    return {
        "sentence": standing.sentence,
        "is_kept_out": standing.is_kept_out,
        "equals": equals[:MOST_FOLDED],
        "equal_count": count,
        "flags": flag_lines(submission),
        "decisions": submission.ranking_decisions.all() if submission.decision_id else (),
    }


def equal_entries(
    sheet: Scoresheet, reading: BoardReading, entry: BoardEntry
) -> tuple[int, Sequence[BoardEntry]]:
    """How many others have all answers equal, and the first of them."""
    lead = entry
    if entry.same_answers_as:
        lead_alone = BoardPart(count=0, also=frozenset([entry.same_answers_as]))
        reading = read_era(sheet, lead_alone)
        lead = entry_of(reading, entry.same_answers_as) or entry
    folded = reading.folded.get(lead.id)
    if folded is None:
        return 0, []
    return folded.count, [e for e in (lead, *folded.first) if e.id != entry.id]


def metric_sections(
    family: BenchmarkProtocol, figures: Mapping[str, MetricValue]
) -> list[dict[str, Any]]:
    """The metrics table by table, each where it first stands. Of many sections only the first is
    open. `has_spread`: the judge ran several times, for a column of dashes tells nothing."""
    shown: set[str] = set()
    sections: list[dict[str, Any]] = []
    for table in family.board.BOARD.tables:
        metrics = [m for m in table.metrics if m.name in figures and m.name not in shown]
        shown.update(metric.name for metric in metrics)
        if metrics:
            lines = [metric_line(metric, figures[metric.name]) for metric in metrics]
            has_spread = any(line["spread"] for line in lines)
            sections.append({"table": table, "lines": lines, "has_spread": has_spread})
    for place, section in enumerate(sections):
        section["is_open"] = place == 0 or len(sections) <= SECTIONS_OPEN
    return sections


def metric_line(metric: Metric, figure: MetricValue) -> dict[str, Any]:
    """`value` is "–" with `reason` where it is not defined."""
    return {
        "metric": metric,
        "n": figure.n,
        "value": print_value(metric, figure.value),
        "interval": print_interval(metric, figure),
        "no_interval": "" if metric.is_count else no_interval(figure),
        "spread": ""
        if figure.spread is None
        else f"{figure.spread * scale(metric):.{metric.digits}f}",
        "coverage": print_share(figure.judged / figure.asked) if figure.asked else MISSING,
        "reason": "" if figure.value is not None else why_missing(metric, figure),
    }


def scope_table(family: BenchmarkProtocol, figures: Mapping[str, MetricValue]) -> dict[str, Any]:
    """Every metric that is also known per ability and subtask: a row per scope, a column per
    metric. Each row has its title, whether it is of an ability, and each value with why it is
    missing. What a release has beyond the taxonomy goes by its slug, behind the rest."""
    scopes = [
        scope
        for ability in family.dataset.TAXONOMY
        for scope in (
            (ability.slug, ability.title, True),
            *((s.slug, s.title, False) for s in ability.subtasks),
        )
    ]
    listed = {slug for slug, *_ in scopes}
    own = dict.fromkeys(scope for name in figures if (scope := name.partition("@")[2]))
    scopes += [(slug, slug, "/" not in slug) for slug in own if slug not in listed]
    scoped = {name.partition("@")[0] for name in figures if "@" in name}
    metrics = [metric for metric in family.board.METRICS.values() if metric.name in scoped]
    rows = [
        (title, is_ability, [scoped_value(m, figures.get(f"{m.name}@{slug}")) for m in metrics])
        for slug, title, is_ability in scopes
    ]
    return {"heads": [metric.title for metric in metrics], "rows": rows}


def scoped_value(metric: Metric, figure: MetricValue | None) -> tuple[str, str]:
    if figure is None:
        return MISSING, "not measured here"
    return print_value(metric, figure.value), metric.empty if figure.value is None else ""
