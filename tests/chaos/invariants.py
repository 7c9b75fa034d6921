"""What must hold once everything has ended, counted in the database, the ledger and the provider's
own books."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from benchmarks.submissions.models import Answer
from judging.coordination.money import spend_drift
from judging.coordination.queue import MAX_UNKNOWN
from judging.models import JudgeCall, Judgement, JudgeRun
from tests.chaos.content import ANSWERS, FAULTY, PLAIN, SUBMISSIONS, UNKNOWN, runs_at, texts_of
from tests.chaos.course import Course

# Of the answers: three calls of unknown outcome are the most that is paid without asking anybody.
FOR_A_PERSON = 0.02
# Of the answers: what is under way when a worker freezes, or waits for the database beyond its
# lease. There were 14-21 of 600; each of some 60 kills meets up to eight calls, so 30 still tell a
# fault that is general.
LATE = 0.05
TOGETHER = timedelta(seconds=3)  # one transaction, on a busy machine
Figures = Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True)
class Checked:
    """`found` against what it must be, in words, and whether it is. Without a bound it is only
    said."""

    name: str
    found: str
    bound: str
    holds: bool

    @property
    def verdict(self) -> str:
        return ("ok" if self.holds else "BROKEN") if self.bound else ""


@dataclass(slots=True)
class Books:
    """Of one answer: its judgement, the ledger's rows of it by the time they started, and what the
    provider counted: requests seen, replies billed, replies with a verdict."""

    row: Judgement
    calls: list[JudgeCall] = field(default_factory=list)
    seen: int = 0
    completed: int = 0
    good: int = 0

    def count(self, *outcomes: str) -> int:
        return sum(call.outcome in outcomes for call in self.calls)

    @property
    def unknown(self) -> int:
        return self.count(*UNKNOWN)

    @property
    def sent(self) -> int:
        return len(self.calls) - self.count(JudgeCall.Outcome.UNSENT)

    @property
    def known_again(self) -> int:
        """Replies that the ledger knows of and that are not the verdict: unreadable, or too
        late."""
        return max(0, self.count(JudgeCall.Outcome.ANSWERED) - 1)

    @property
    def extra(self) -> int:
        """Billed calls beyond the one, of which the ledger does not know that they were
        answered."""
        return max(0, self.completed - 1 - self.known_again)

    @property
    def outrun(self) -> int:
        """Calls that left after another worker had already asked with a later fence."""
        return sum(later.fence < earlier.fence for earlier, later in pairwise(self.calls))

    @property
    def late(self) -> int:
        """Verdicts that came when the lease was lost: paid, known, and asked for again by whoever
        has claimed since."""
        last = max((call.fence for call in self.calls), default=0)
        again = sum(
            call.outcome == JudgeCall.Outcome.ANSWERED and call.fence < last for call in self.calls
        )
        return max(0, again - (self.completed - self.good))

    @property
    def is_without_source(self) -> bool:
        """A verdict without an answered call of the same fence that was closed with it."""
        if self.row.state != Judgement.State.JUDGED or self.row.reused_from_id is not None:
            return False
        own = [call for call in self.calls if call.fence == self.row.fence]
        return not any(
            call.closed and abs(call.closed - self.row.settled) < TOGETHER for call in own
        )


def read_books(stats: Mapping[str, Any]) -> list[Books]:
    books = {row.pk: Books(row) for row in Judgement.objects.filter(judge_spec__endpoint=FAULTY)}
    for call in JudgeCall.objects.filter(judgement__in=books).order_by("started", "pk"):
        assert call.judgement_id is not None
        books[call.judgement_id].calls.append(call)
    texts = dict(Answer.objects.values_list("pk", "text"))
    for book in books.values():
        marker = texts[book.row.answer_id].partition(" ")[0]
        if marker in stats["answers"]:
            seen = stats["answers"][marker]
            book.seen, book.completed, book.good = seen["seen"], seen["completed"], seen["good"]
    return list(books.values())


def check_all(
    *, stats: Mapping[str, Any], course: Course, seconds_limit: float
) -> Iterator[Checked]:
    books = read_books(stats)
    yield from check_verdicts(books, course)
    yield check_answers()
    yield from check_billing(books, course)
    yield from check_ledger(books, course.last_fault)
    yield from check_scores(course.early_scores)
    yield from check_ends(books, course, seconds_limit)
    bare = sum(book.is_without_source for book in books)
    yield Checked("I7 verdicts without an answered call", str(bare), "0", bare == 0)
    drift = spend_drift()
    yield Checked(
        "I8 sums of costs that differ from the ledger", "; ".join(drift) or "0", "0", not drift
    )


def check_verdicts(books: Sequence[Books], course: Course) -> Iterator[Checked]:
    most = round(ANSWERS * FOR_A_PERSON)
    name = "I1 answers that a person had asked again"
    yield Checked(name, str(course.asked_again), f"≤ {most}", course.asked_again <= most)
    states = Counter(book.row.state for book in books)
    judged = states[Judgement.State.JUDGED]
    yield Checked(
        "I1 verdicts", counted(states), f"judged {ANSWERS}", judged == ANSWERS == len(books)
    )
    twice = max(
        Counter((b.row.answer_id, b.row.judge_spec_id, b.row.slot) for b in books).values(),
        default=0,
    )
    yield Checked("I1 most of one answer, judge and slot", str(twice), "1", twice == 1)


def check_answers() -> Checked:
    """Each upload has all its answers, word for word."""
    runs = runs_at(FAULTY)
    found = 0
    for number, run in enumerate(runs):
        texts = dict(run.submission.answers.values_list("question__public_id", "text"))
        found += sum(texts.get(question) == text for question, text in texts_of(number).items())
    return Checked(
        "I2 answers as uploaded", f"{found} in {len(runs)} runs", f"{ANSWERS}", found == ANSWERS
    )


def check_billing(books: Sequence[Books], course: Course) -> Iterator[Checked]:
    extra, unknown = sum(book.extra for book in books), sum(book.unknown for book in books)
    again, billed = sum(book.known_again for book in books), sum(book.completed for book in books)
    yield Checked("I3 billed calls", f"{billed}, {again} of them unreadable or late", "", True)
    late, few = sum(book.late for book in books), round(ANSWERS * LATE)
    yield Checked("I3 verdicts that came too late", str(late), f"≤ {few}", late <= few)
    holds = all(book.extra <= book.unknown for book in books)
    yield Checked(
        "I3 extra billed calls", str(extra), f"≤ {unknown} unknown, for each answer", holds
    )
    most = course.most_unknown
    yield Checked(
        "I3 most unknown calls of an answer", str(most), f"≤ {MAX_UNKNOWN}", most <= MAX_UNKNOWN
    )
    outrun = sum(book.outrun for book in books)
    yield Checked("I3 calls that left without a lease", str(outrun), "0", outrun == 0)


def check_ledger(books: Sequence[Books], last_fault: datetime | None) -> Iterator[Checked]:
    calls = [(book.row, call) for book in books for call in book.calls]
    yield Checked(
        "I4 rows of the ledger", counted(Counter(call.outcome for _, call in calls)), "", True
    )
    left_open = [(row, call) for row, call in calls if call.outcome == JudgeCall.Outcome.OPEN]
    late = sum(last_fault is not None and call.started > last_fault for _, call in left_open)
    yield Checked("I4 open, and begun after the last fault", str(late), "0", late == 0)
    settled = sum(
        row.state == Judgement.State.JUDGED and row.fence == call.fence for row, call in left_open
    )
    yield Checked("I4 open, and its verdict is there", str(settled), "0", settled == 0)
    seen, sent = sum(book.seen for book in books), sum(book.sent for book in books)
    holds = all(book.seen <= book.sent for book in books)
    yield Checked(
        "I4 requests that the provider saw",
        str(seen),
        f"≤ {sent} in the ledger, for each answer",
        holds,
    )


def check_scores(early: int) -> Iterator[Checked]:
    yield Checked("I5 scores of runs that were not at their end", str(early), "0", early == 0)
    faulty, plain = scores_at(FAULTY), scores_at(PLAIN)
    same = sum(a is not None and a == b for a, b in zip(faulty, plain, strict=False))
    yield Checked(
        "I5 scores as without faults",
        str(same),
        str(SUBMISSIONS),
        same == SUBMISSIONS == len(plain),
    )
    differing = verdicts_at(FAULTY).items() ^ verdicts_at(PLAIN).items()
    yield Checked("I5 verdicts that differ", str(len(differing)), "0", not differing)


def scores_at(endpoint: str) -> list[Figures | None]:
    return [
        run.scoresheet.figures if hasattr(run, "scoresheet") else None for run in runs_at(endpoint)
    ]


def verdicts_at(endpoint: str) -> dict[int, str]:
    return dict(
        Judgement.objects.filter(judge_spec__endpoint=endpoint).values_list("answer_id", "verdict")
    )


def check_ends(books: Sequence[Books], course: Course, limit: float) -> Iterator[Checked]:
    for name, seconds in (
        ("until all was at its end", course.terminal_seconds),
        ("again", course.again_seconds),
    ):
        found = "never" if seconds is None else f"{seconds:.1f}"
        yield Checked(f"I6 seconds {name}", found, f"≤ {limit:g}", seconds is not None)
    settled = sorted(book.row.settled for book in books if book.row.settled is not None)
    standstill = max(
        (later - earlier for earlier, later in pairwise(settled)), default=timedelta(0)
    )
    yield Checked(
        "I6 longest time without a verdict", f"{standstill.total_seconds():.1f} s", "", True
    )
    finished = JudgeRun.objects.filter(judge_spec__endpoint=FAULTY).finished().count()
    yield Checked("I6 runs at their end", f"{finished}", f"{SUBMISSIONS}", finished == SUBMISSIONS)
    mute = sum(book.row.state != Judgement.State.JUDGED and not book.row.reason for book in books)
    yield Checked("I6 without verdict and without a reason", str(mute), "0", mute == 0)


def counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def table(lines: Sequence[Checked]) -> str:
    rows = [(line.name, line.found, line.bound, line.verdict) for line in lines]
    heads = ("what", "found", "must be", "")
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in [heads, *rows]
    )
