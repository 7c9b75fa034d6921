"""Contexts of the home, entry, submission, judge and method pages. Templates print these and compute nothing."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from benchmarks.protocols.base import Note
from leaderboard.disclosure import ShownReply, ShownText


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
    no_interval: str
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
class QuestionCard:
    """`answer` is None where it is hidden. `texts` are the versions that its judge read."""

    public_id: str
    ability: str
    subtask: str
    images: tuple[str, ...]
    image_names: tuple[str, ...]
    text: str
    answer: str | None
    reference: str
    verdict: str
    is_right: bool | None
    remark: str
    anomalies: tuple[str, ...]
    replies: tuple[ShownReply, ...]
    texts: tuple[ShownText, ...]


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
class RetryOffer:
    """Judgements without a verdict that their owner may have asked again. `states` says how many of each kind."""

    judge: str
    count: int
    states: str
    is_free: bool


@dataclass(frozen=True, slots=True)
class StandingBlock:
    """What is remarkable about an entry. `equals`: id and model of entries with the same answers, the first of
    `equal_count`; `flags`: title, how many answers, the rule; `decisions`: day, what, reason."""

    sentence: str
    is_kept_out: bool
    equals: tuple[tuple[UUID, str], ...]
    equal_count: int
    flags: tuple[tuple[str, str, str], ...]
    decisions: tuple[tuple[datetime, str, str], ...]


@dataclass(frozen=True, slots=True)
class EntryPage:
    """`reading`: what is judged of the answers and what is not, where that is not all their file says. `verified`:
    when, by whom and why; `verifications`: day, what, by whom and why of every decision about the badge."""

    id: UUID
    model: str
    organisation: str
    link: str
    notes: str
    reading: tuple[str, ...]
    origin: str
    handed_in_by: str
    verified: str
    verifications: tuple[tuple[datetime, str, str, str], ...]
    benchmark_slug: str
    benchmark: str
    release: str
    judge: JudgeSeal
    caution: str
    judges: tuple[FilterChoice, ...]
    submitted: datetime
    computed: datetime
    sha256: str
    submissions_made: int
    strip: tuple[StripFigure, ...]
    claims: tuple[str, ...]
    standing: StandingBlock | None
    sections: tuple[MetricSection, ...]
    scopes: ScopeTable
    questions: QuestionList
    is_owner: bool
    retry: RetryOffer | None


@dataclass(frozen=True, slots=True)
class BudgetLine:
    title: str
    left: str
    cap: str


@dataclass(frozen=True, slots=True)
class EstimateCard:
    """What judging will take, before its owner says yes. `tokens` and `duration` are empty where no call is made;
    `refusal` names the budgets that will not reach. `cost` in micro, None where no price is set."""

    judge: JudgeSeal
    cost: int | None
    calls: str
    without_call: str
    tokens: str
    price: str
    duration: str
    budgets: tuple[BudgetLine, ...]
    refusal: str


@dataclass(frozen=True, slots=True)
class RunMoney:
    """What the calls of a run cost, in micro, those of unknown outcome at their worst case.

    reserved: of what is spent, the worst case of calls under way. expected: what it will cost in all, while some is
    left and the first calls tell. unknown: how many calls nobody knows the outcome of.
    """

    spent: int
    reserved: int
    expected: int | None
    unknown: int


@dataclass(frozen=True, slots=True)
class PauseNotice:
    """Why a run is paused, and who or what ends the pause."""

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """`money` is None where rules decide, `cost` the same as a sentence; `pause` is None unless the run is paused."""

    judge: JudgeSeal
    asked: int
    judged: int
    unreadable: int
    failed: int
    excluded: int
    open: int
    percent_done: int
    reasons: tuple[tuple[str, int], ...]
    is_scored: bool
    retry: RetryOffer | None
    money: RunMoney | None
    cost: str
    pause: PauseNotice | None


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """`state` is one of those of submission_page.SENTENCES. `is_moving`: the page should look again. `estimate`: what
    the default judge will take, while the submission is to be confirmed."""

    id: UUID
    model: str
    benchmark_slug: str
    benchmark: str
    release: str
    file_name: str
    has_file: bool
    sha256: str
    answers: int
    visibility: str
    state: str
    sentence: str
    notes: tuple[Note, ...]
    runs: tuple[RunLine, ...]
    calls_planned: int
    estimate: EstimateCard | None
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
    no_interval: str
    n: str
    reason: str


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """How far a judge and people agree on one entry; `parts` the same by ability and subtask, with the title of each,
    where the protocol measures it there."""

    id: UUID
    model: str
    release: str
    cells: tuple[AgreementCell, ...]
    parts: tuple[tuple[str, tuple[AgreementCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """`heads` are title and meaning of each metric. No rows: nobody has said anything of these entries yet."""

    heads: tuple[tuple[str, str], ...]
    rows: tuple[AgreementRow, ...]


@dataclass(frozen=True, slots=True)
class ReliabilityLine:
    """A metric over a judge's public entries: mean, lowest to highest, and the mean spread over its repeats."""

    title: str
    about: str
    mean: str
    span: str
    spread: str
    entries: int


@dataclass(frozen=True, slots=True)
class ReportedModel:
    """What the endpoint called the model that answered, and when it first and last did."""

    name: str
    first: datetime
    last: datetime
    replies: int


@dataclass(frozen=True, slots=True)
class CanaryLine:
    """One time that the judge was asked its fixed cases again. `fault` says what is not as it was, if anything."""

    started: datetime
    same: str
    unreadable: str
    moved: str
    model: str
    fault: str


@dataclass(frozen=True, slots=True)
class CanaryTable:
    """The newest times first. `fault` is that of the newest one with a reply; `has_scores`: verdicts are numbers."""

    lines: tuple[CanaryLine, ...]
    fault: str
    has_scores: bool


@dataclass(frozen=True, slots=True)
class WorthTable:
    """What the offline rules are worth beside people. `lines`: title, meaning, n, of the rules, of people (or ""), as
    printed. `is_this_version`: measured of the version the page is about, and not of a newer one."""

    sentence: str
    about: str
    version: str
    is_this_version: bool
    source: str
    url: str
    lines: tuple[tuple[str, str, str, str, str], ...]


@dataclass(frozen=True, slots=True)
class JudgePage:
    """`worth` is None for a model, and where nobody has measured the rules. `canary` is None where the judge was never
    asked again, `agreement` where nobody is asked about the answers. Several `reported` models: the endpoint did not
    always answer with the same one. `caution` is about its prompts."""

    slug: str
    kind: str
    benchmark_slug: str
    benchmark: str
    model: str
    is_offline: bool
    caution: str
    parameters: tuple[tuple[str, str], ...]
    hashes: tuple[tuple[str, str], ...]
    prompts: tuple[tuple[str, str], ...]
    entries: int
    judgements: int
    figures: tuple[StripFigure, ...]
    reliability: tuple[ReliabilityLine, ...]
    reported: tuple[ReportedModel, ...]
    canary: CanaryTable | None
    agreement: AgreementTable | None
    worth: WorthTable | None


@dataclass(frozen=True, slots=True)
class MethodPage:
    slug: str
    title: str
    summary: str
    how: str
    metrics: tuple[tuple[str, str, str], ...]
    marks: tuple[tuple[str, str], ...]
    worth: WorthTable | None


@dataclass(frozen=True, slots=True)
class StatusRunLine:
    """Runs of a benchmark that are in the same state for the same reason. Never whose they are."""

    benchmark: str
    state: str
    reason: str
    runs: int
    judgements: int


@dataclass(frozen=True, slots=True)
class StatusWorkerLine:
    """A worker, numbered: the names of our machines are nobody's business. `state` is "alive" or "silent"."""

    number: int
    state: str
    seen_seconds: int
    swept_seconds: int | None

    @property
    def seen(self) -> str:
        return f"{print_age(self.seen_seconds)} ago"

    @property
    def swept(self) -> str:
        return "not yet" if self.swept_seconds is None else f"{print_age(self.swept_seconds)} ago"


@dataclass(frozen=True, slots=True)
class StatusEndpointLine:
    """`state` is "open", "held" (until `until`) or "halted" (since then). The alias only, never the address."""

    alias: str
    state: str
    until: datetime | None
    reason: str


@dataclass(frozen=True, slots=True)
class StatusPage:
    """What /status/ prints and /status.json holds. `state` is "idle", "working", "on hold" or "stuck".

    queue: judgements by what they wait for. settled, calls: what the last hour brought, by outcome.
    """

    taken: datetime
    state: str
    sentence: str
    waiting_seconds: int | None
    idle_seconds: int | None
    unplanned: int
    queue: tuple[tuple[str, int], ...]
    runs: tuple[StatusRunLine, ...]
    settled: tuple[tuple[str, int], ...]
    calls: tuple[tuple[str, int], ...]
    workers: tuple[StatusWorkerLine, ...]
    endpoints: tuple[StatusEndpointLine, ...]

    @property
    def ages(self) -> str:
        """How long work waits and when any was done, as far as there is any."""
        waiting, idle = self.waiting_seconds, self.idle_seconds
        return " ".join(
            (
                ""
                if waiting is None
                else f"The oldest that is ready waits for {print_age(waiting)}.",
                "" if idle is None else f"Work was last done {print_age(idle)} ago.",
            )
        ).strip()


def print_age(seconds: float) -> str:
    """ "12 s", "4 min", "3 h" or "2 d", never more than it is."""
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}"
    return f"{int(seconds)} s"
