"""The context of an entry page: from the metrics of a submission down to each reply behind them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse

from benchmarks.models import FigureImage, Question
from benchmarks.protocols.base import BenchmarkProtocol, BoardTable, Metric, QuestionView, ScoredRow
from benchmarks.selectors import protocol_of, question_view
from benchmarks.submissions.models import Answer, Submission
from benchmarks.submissions.public_names import handed_in_by, public_name
from judging.panel.selectors import ratings_of
from judging.selectors import verdicts_of
from leaderboard.cells import MOST_FOLDED
from leaderboard.comparison import entry_claims
from leaderboard.disclosure import (
    public_texts,
    shown_anomalies,
    shown_answer,
    shown_references,
    shown_replies,
)
from leaderboard.judge_page import judge_seal
from leaderboard.models import Scoresheet
from leaderboard.numbers import (
    MISSING,
    no_interval,
    print_interval,
    print_range,
    print_rank,
    print_share,
    print_value,
    scale,
)
from leaderboard.pages import (
    EntryPage,
    FilterChoice,
    MetricLine,
    MetricSection,
    QuestionCard,
    QuestionList,
    ScopeRow,
    ScopeTable,
    StandingBlock,
    StripFigure,
)
from leaderboard.retry_offer import retry_offer
from leaderboard.scoring import Figure
from leaderboard.selectors import BoardEntry, BoardReading, behind_of, read_board
from leaderboard.standing import flag_lines, standing_of, verification_words

PER_PAGE = 25
SECTIONS_OPEN = 4


@dataclass(frozen=True, slots=True)
class QuestionFilter:
    subtask: str = ""
    outcome: str = ""
    page: int = 1

    def query(self, judge: str, **changes: object) -> str:
        wanted = {"judge": judge, "subtask": self.subtask, "outcome": self.outcome, **changes}
        return f"?{urlencode({key: value for key, value in wanted.items() if value})}#questions"


def entry_page(sheet: Scoresheet, chosen: QuestionFilter, *, is_owner: bool) -> EntryPage:
    submission, release = sheet.submission, sheet.submission.release
    family = protocol_of(release)
    figures = {name: Figure(*packed) for name, packed in sheet.figures.items()}
    reading = public_reading(sheet)
    entries = {entry.id: entry for entry in reading.entries} if reading else {}
    others = submission.scoresheets.select_related("judge_spec").order_by("judge_spec__slug")
    return EntryPage(
        id=submission.id,
        model=submission.model.name,
        organisation=submission.model.organisation,
        link=submission.model.link,
        notes=submission.model.notes,
        reading=tuple(
            note["message"]
            for note in submission.reading_notes
            if note["code"] in ("thinking", "unclear-thinking")
        ),
        origin=submission.origin,
        handed_in_by=handed_in_by(submission),
        verified=verification_words(submission),
        verifications=verification_lines(submission),
        benchmark_slug=release.benchmark.slug,
        benchmark=release.benchmark.title,
        release=release.title,
        judge=judge_seal(sheet.judge_spec),
        caution=sheet.judge_spec.caution,
        judges=tuple(
            FilterChoice(
                judge_seal(o.judge_spec).label,
                f"?judge={o.judge_spec.slug}",
                o.pk == sheet.pk,
                o.judged,
            )
            for o in others
        ),
        submitted=submission.created,
        computed=sheet.computed,
        sha256=submission.sha256,
        submissions_made=Submission.objects.confirmed().filter(model=submission.model).count(),
        strip=strip(sheet, family, figures, entries.get(submission.id)),
        claims=entry_claims(reading, entries[submission.id]) if reading else (),
        standing=standing_block(sheet, entries),
        sections=metric_sections(family, figures),
        scopes=scope_table(family, figures),
        questions=question_list(sheet, family, chosen),
        is_owner=is_owner,
        retry=retry_offer(sheet.run, is_owner=is_owner),
    )


def strip(
    sheet: Scoresheet,
    family: BenchmarkProtocol,
    figures: Mapping[str, Figure],
    entry: BoardEntry | None,
) -> tuple[StripFigure, ...]:
    board = family.board.BOARD
    metric = family.board.METRICS[board.ranking]
    excluded = StripFigure("Excluded", f"{sheet.excluded:,}", "left out by people")
    return (
        StripFigure(
            metric.title,
            print_value(metric, sheet.ranking),
            print_interval(metric, figures[board.ranking]),
        ),
        StripFigure(
            "Rank range",
            print_rank(entry.rank_best, entry.rank_worst) if entry else MISSING,
            "95 %, by paired differences"
            + ("; it may be first" if entry and entry.may_be_first else ""),
        ),
        StripFigure(
            "Coverage",
            print_share(sheet.coverage),
            f"of what is scored; {sheet.judged:,} replies judged",
        ),
        *older_texts(sheet, entry),
        StripFigure("Unreadable", f"{sheet.unreadable:,}", "judgements; no reply could be read"),
        StripFigure("Failed", f"{sheet.failed:,}", "judgements refused, cut short or given up"),
        *((excluded,) if sheet.excluded else ()),
    )


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
    behind = entry.texts if entry else behind_of(sheet)
    answers = sheet.submission.release.question_count
    if not (sentence := behind.sentence(answers)):
        return ()
    count = behind.older + behind.unknown
    where = "; the questions below say which" if behind.older else ""
    return (StripFigure("Other texts", f"{count:,}", f"{sentence}{where}"),)


def public_reading(sheet: Scoresheet) -> BoardReading | None:
    """The board of its era, with this entry on it; None where it is not public."""
    submission = sheet.submission
    if submission.visibility != submission.Visibility.PUBLIC or submission.withdrawn:
        return None
    release = submission.release
    return read_board(release.benchmark, release=release.slug, judge=sheet.judge_spec.slug)


def standing_block(sheet: Scoresheet, entries: Mapping[UUID, BoardEntry]) -> StandingBlock | None:
    """None where nothing is remarkable, nothing was decided, and no public entry has the same answers."""
    submission = sheet.submission
    entry = entries.get(submission.id)
    standing = (
        entry.standing
        if entry
        else standing_of(submission, is_by_rules=sheet.judge_spec.is_offline)
    )
    equals = equal_entries(entry, entries.values()) if entry else ()
    if not standing.sentence and not equals:
        return None
    decisions = submission.ranking_decisions.all() if submission.decision_id else ()
    return StandingBlock(
        sentence=standing.sentence,
        is_kept_out=standing.is_kept_out,
        equals=tuple((e.id, e.model) for e in equals[:MOST_FOLDED]),
        equal_count=len(equals),
        flags=tuple(flag_lines(submission)),
        decisions=tuple(
            (made.decided, "ranked" if made.is_ranked else "kept out", made.reason)
            for made in decisions
        ),
    )


def equal_entries(entry: BoardEntry, entries: Iterable[BoardEntry]) -> Sequence[BoardEntry]:
    """The others whose answers are all equal."""
    lead = entry.same_answers_as or entry.id
    return [e for e in entries if lead in (e.id, e.same_answers_as) and e.id != entry.id]


def metric_sections(
    family: BenchmarkProtocol, figures: Mapping[str, Figure]
) -> tuple[MetricSection, ...]:
    """The metrics table by table, each where it first stands. Of many sections only the first is open."""
    told: set[str] = set()
    found: list[tuple[BoardTable, tuple[MetricLine, ...]]] = []
    for table in family.board.BOARD.tables:
        metrics = [
            m
            for group in table.groups
            for m in group.metrics
            if m.name in figures and m.name not in told
        ]
        told.update(metric.name for metric in metrics)
        if metrics:
            found.append(
                (table, tuple(metric_line(metric, figures[metric.name]) for metric in metrics))
            )
    return tuple(
        MetricSection(
            table.slug, table.title, lines, is_open=place == 0 or len(found) <= SECTIONS_OPEN
        )
        for place, (table, lines) in enumerate(found)
    )


def metric_line(metric: Metric, figure: Figure) -> MetricLine:
    return MetricLine(
        title=metric.title,
        about=metric.about,
        value=print_value(metric, figure.value),
        interval=print_interval(metric, figure),
        span=print_range(metric, figure),
        no_interval=no_interval(figure),
        spread=""
        if figure.spread is None
        else f"{figure.spread * scale(metric):.{metric.digits}f}",
        n=figure.n,
        coverage=print_share(figure.judged / figure.asked) if figure.asked else MISSING,
        reason="" if figure.value is not None else metric.empty,
    )


def scope_table(family: BenchmarkProtocol, figures: Mapping[str, Figure]) -> ScopeTable:
    """Every metric that is also known per ability and subtask: a row per scope, a column per metric. What a release has
    beyond the taxonomy goes by its slug, behind the rest."""
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
    metrics = [
        m
        for m in family.board.METRICS.values()
        if any(f"{m.name}@{slug}" in figures for slug, *_ in scopes)
    ]
    rows = tuple(
        ScopeRow(
            title,
            is_ability,
            tuple(scoped_value(m, figures.get(f"{m.name}@{slug}")) for m in metrics),
        )
        for slug, title, is_ability in scopes
    )
    return ScopeTable(tuple(metric.title for metric in metrics), rows)


def scoped_value(metric: Metric, figure: Figure | None) -> tuple[str, str]:
    if figure is None:
        return MISSING, "not measured here"
    return print_value(metric, figure.value), metric.empty if figure.value is None else ""


# --- questions ------------------------------------------------------------------------------------------------


def question_list(
    sheet: Scoresheet, family: BenchmarkProtocol, chosen: QuestionFilter
) -> QuestionList:
    answers = list(
        sheet.submission.answers.select_related(
            "question__subtask__ability", "question__figure"
        ).order_by("pk")
    )
    views = [question_view(answer.question) for answer in answers]
    public_ids = [view.public_id for view in views]
    verdicts = {**verdicts_of(sheet.run, public_ids), **ratings_of(sheet.submission, public_ids)}
    scored = family.scoring.explain(views, [answer.text for answer in answers], verdicts)
    rows = list(zip(answers, views, scored, strict=True))
    shown = [row for row in rows if fits(row[1], row[2], chosen)]
    pages = max(1, -(-len(shown) // PER_PAGE))
    page = min(max(chosen.page, 1), pages)
    judge = sheet.judge_spec.slug
    return QuestionList(
        cards=question_cards(sheet, shown[(page - 1) * PER_PAGE : page * PER_PAGE]),
        total=len(shown),
        page=page,
        pages=pages,
        previous_url=chosen.query(judge, page=page - 1) if page > 1 else "",
        next_url=chosen.query(judge, page=page + 1) if page < pages else "",
        subtasks=choices(
            chosen,
            judge,
            "subtask",
            Counter(view.subtask for view in views),
            chosen.subtask,
            subtask_titles(family),
        ),
        outcomes=outcome_choices(scored, chosen, judge),
    )


def outcome_of(row: ScoredRow) -> str:
    return row.outcome or {True: "right", False: "wrong", None: "no verdict"}[row.is_right]


def outcome_choices(
    scored: Sequence[ScoredRow], chosen: QuestionFilter, judge: str
) -> tuple[FilterChoice, ...]:
    """None where the benchmark gives scores and calls nothing right or wrong."""
    if all(row.is_right is None and not row.outcome for row in scored):
        return ()
    return choices(
        chosen, judge, "outcome", Counter(outcome_of(row) for row in scored), chosen.outcome, {}
    )


def fits(view: QuestionView, row: ScoredRow, chosen: QuestionFilter) -> bool:
    return chosen.subtask in ("", view.subtask) and chosen.outcome in ("", outcome_of(row))


def subtask_titles(family: BenchmarkProtocol) -> dict[str, str]:
    """Titles by slug; where two abilities have subtasks of one name, with the ability's slug before it."""
    found = [
        (ability.slug, subtask)
        for ability in family.dataset.TAXONOMY
        for subtask in ability.subtasks
    ]
    times = Counter(subtask.title for _, subtask in found)
    return {
        s.slug: s.title if times[s.title] == 1 else f"{ability} {s.title}" for ability, s in found
    }


def choices(
    chosen: QuestionFilter,
    judge: str,
    field: str,
    counts: Mapping[str, int],
    current: str,
    titles: Mapping[str, str],
) -> tuple[FilterChoice, ...]:
    everything = FilterChoice(
        "all", chosen.query(judge, **{field: ""}), not current, sum(counts.values())
    )
    found = (
        FilterChoice(
            titles.get(name, name), chosen.query(judge, **{field: name}), name == current, count
        )
        for name, count in counts.items()
    )
    return (everything, *found)


def question_cards(
    sheet: Scoresheet, rows: Sequence[tuple[Answer, QuestionView, ScoredRow]]
) -> tuple[QuestionCard, ...]:
    release = sheet.submission.release
    questions = [answer.question for answer, _, _ in rows]
    references = shown_references(release, [q.pk for q in questions])
    images = images_of(questions)
    replies = shown_replies(sheet.run, [answer.pk for answer, _, _ in rows])
    anomalies = shown_anomalies(release)
    public = public_texts(release, [answer for answer, _, _ in rows])
    return tuple(
        QuestionCard(
            public_id=view.public_id,
            ability=answer.question.subtask.ability.title,
            subtask=answer.question.subtask.title,
            images=tuple(
                image_url(image)
                for image in images.get(answer.question.figure_id or 0, ())
                if image.sha256
            ),
            image_names=tuple(
                image.name for image in images.get(answer.question.figure_id or 0, ())
            ),
            text=view.text,
            answer=shown_answer(answer, sheet.submission, public[answer.pk]),
            reference=references.get(answer.question_id, ""),
            verdict=row.verdict,
            is_right=row.is_right,
            remark=row.remark,
            anomalies=tuple(anomalies.get(view.public_id, ())),
            replies=tuple(replies.get(answer.pk, ())),
            texts=tuple(
                dict.fromkeys(text for reply in replies.get(answer.pk, ()) for text in reply.texts)
            ),
        )
        for answer, view, row in rows
    )


def images_of(questions: Sequence[Question]) -> dict[int, list[FigureImage]]:
    found: dict[int, list[FigureImage]] = {}
    for image in FigureImage.objects.filter(
        figure__in={q.figure_id for q in questions if q.figure_id}
    ):
        found.setdefault(image.figure_id, []).append(image)
    return found


def image_url(image: FigureImage) -> str:
    return reverse("figure-image", args=[image.pk])
