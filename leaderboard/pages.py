"""Contexts of the home, entry, submission, judge and method pages. Templates print these and compute nothing."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from benchmarks.protocols.base import Note


@dataclass(frozen=True, slots=True)
class CardLine:
    id: UUID
    rank: str
    model: str
    score: str
    interval: str


@dataclass(frozen=True, slots=True)
class BoardCard:
    """A benchmark on the home page with its top five."""

    slug: str
    title: str
    summary: str
    score_title: str
    top: tuple[CardLine, ...]
    entry_count: int


@dataclass(frozen=True, slots=True)
class LatestLine:
    id: UUID
    model: str
    organisation: str
    benchmark: str
    score_title: str
    score: str
    submitted: datetime


@dataclass(frozen=True, slots=True)
class HomePage:
    cards: tuple[BoardCard, ...]
    latest: tuple[LatestLine, ...]
    models: str
    answers: str
    judgements: str


@dataclass(frozen=True, slots=True)
class StripFigure:
    title: str
    value: str
    note: str


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric of an entry: `value` is "–" with `reason` where it is not defined."""

    title: str
    about: str
    value: str
    interval: str
    span: str
    spread: str
    n: int
    coverage: str
    reason: str


@dataclass(frozen=True, slots=True)
class MetricSection:
    slug: str
    title: str
    lines: tuple[MetricLine, ...]
    is_open: bool


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """Printed metrics of an ability, or of one of its subtasks; (value, reason where it is missing)."""

    title: str
    is_ability: bool
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ScopeTable:
    """Metrics of each ability and subtask: `heads` are metric titles."""

    heads: tuple[str, ...]
    rows: tuple[ScopeRow, ...]


@dataclass(frozen=True, slots=True)
class CallLine:
    """One slot of an answer: what was decided, or why nothing was."""

    slot: str
    state: str
    verdict: str
    reason: str
    raw_reply: str


@dataclass(frozen=True, slots=True)
class QuestionCard:
    public_id: str
    ability: str
    subtask: str
    images: tuple[str, ...]
    image_names: tuple[str, ...]
    text: str
    answer: str
    reference: str
    verdict: str
    is_right: bool | None
    remark: str
    anomalies: tuple[str, ...]
    calls: tuple[CallLine, ...]


@dataclass(frozen=True, slots=True)
class FilterChoice:
    title: str
    url: str
    is_current: bool
    count: int


@dataclass(frozen=True, slots=True)
class QuestionList:
    cards: tuple[QuestionCard, ...]
    total: int
    page: int
    pages: int
    previous_url: str
    next_url: str
    subtasks: tuple[FilterChoice, ...]
    outcomes: tuple[FilterChoice, ...]


@dataclass(frozen=True, slots=True)
class JudgeSeal:
    slug: str
    label: str
    is_offline: bool


@dataclass(frozen=True, slots=True)
class EntryPage:
    id: UUID
    model: str
    organisation: str
    link: str
    notes: str
    origin: str
    benchmark_slug: str
    benchmark: str
    release: str
    judge: JudgeSeal
    judges: tuple[FilterChoice, ...]
    submitted: datetime
    computed: datetime
    sha256: str
    submissions_made: int
    strip: tuple[StripFigure, ...]
    sections: tuple[MetricSection, ...]
    scopes: ScopeTable
    questions: QuestionList
    is_owner: bool


@dataclass(frozen=True, slots=True)
class RunLine:
    judge: JudgeSeal
    asked: int
    judged: int
    unreadable: int
    failed: int
    open: int
    percent_done: int
    reasons: tuple[tuple[str, int], ...]
    is_scored: bool


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """`state` is one of those of submission_page.SENTENCES. `is_moving`: the page should look again."""

    id: UUID
    model: str
    benchmark_slug: str
    benchmark: str
    release: str
    file_name: str
    sha256: str
    answers: int
    visibility: str
    state: str
    sentence: str
    notes: tuple[Note, ...]
    runs: tuple[RunLine, ...]
    calls_planned: int
    is_moving: bool
    is_owner: bool
    created: datetime


@dataclass(frozen=True, slots=True)
class MyEntryLine:
    id: UUID
    model: str
    benchmark: str
    release: str
    state: str
    visibility: str
    score: str
    created: datetime


@dataclass(frozen=True, slots=True)
class MyEntriesPage:
    lines: tuple[MyEntryLine, ...]


@dataclass(frozen=True, slots=True)
class AgreementCell:
    """`value` is "–" with `reason` where the metric is not defined."""

    value: str
    interval: str
    span: str
    n: str
    reason: str


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How far a judge and people agree on one entry."""

    id: UUID
    model: str
    release: str
    cells: tuple[AgreementCell, ...]


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """`heads` are title and meaning of each metric. No rows: nobody has said anything of these entries yet."""

    heads: tuple[tuple[str, str], ...]
    rows: tuple[AgreementRow, ...]


@dataclass(frozen=True, slots=True)
class JudgePage:
    """`agreement` is None where nobody is asked about the answers of the benchmark."""

    slug: str
    kind: str
    benchmark_slug: str
    benchmark: str
    model: str
    is_offline: bool
    parameters: tuple[tuple[str, str], ...]
    hashes: tuple[tuple[str, str], ...]
    prompts: tuple[tuple[str, str], ...]
    entries: int
    judgements: int
    agreement: AgreementTable | None


@dataclass(frozen=True, slots=True)
class MethodPage:
    slug: str
    title: str
    summary: str
    how: str
    metrics: tuple[tuple[str, str, str], ...]
