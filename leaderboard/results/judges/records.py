"""What the replies and requests of a judge add up to, kept so that no page counts millions of them.

Each scoresheet has a record of its run, and each judge one of all its scoresheets, moved by the
difference in the transaction that writes a sheet; those of hidden tests have none. Runs that are
not scored as they stand, which are few and marked, are counted when somebody looks.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Min, QuerySet, Sum

from benchmarks.kept_documents import from_row
from benchmarks.models import Release
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from leaderboard.models import JudgeRecord, Scoresheet

Pair = tuple[str, str]
Packed = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Replies:
    """Judgements that a judge itself replied to, not reused, of one state and reported model.

    first, last: when the first and the last of them were settled; they stay where one is asked
    about anew.
    """

    count: int = 0
    milliseconds: int = 0
    first: datetime | None = None
    last: datetime | None = None

    def moved(self, other: "Replies", sign: int) -> "Replies":
        return Replies(
            self.count + sign * other.count,
            self.milliseconds + sign * other.milliseconds,
            extreme(min, self.first, other.first),
            extreme(max, self.last, other.last),
        )


@dataclass(frozen=True, slots=True)
class Calls:
    """Requests of one outcome whose reply was one thing. `counted` are those of which the endpoint
    said how many tokens they took; cost in millionths of the currency."""

    count: int = 0
    cost: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    counted: int = 0

    def moved(self, other: "Calls", sign: int) -> "Calls":
        return Calls(
            self.count + sign * other.count,
            self.cost + sign * other.cost,
            self.tokens_in + sign * other.tokens_in,
            self.tokens_out + sign * other.tokens_out,
            self.counted + sign * other.counted,
        )


@dataclass(frozen=True, slots=True)
class Record:
    """Of some runs: how many verdicts there are, replies by state and reported model, requests by
    outcome and what their reply was."""

    judged: int = 0
    replies: Mapping[Pair, Replies] = field(default_factory=dict)
    calls: Mapping[Pair, Calls] = field(default_factory=dict)

    def moved(self, other: "Record", sign: int = 1) -> "Record":
        """With the other added, or taken away where `sign` is -1."""
        replies, calls = dict(self.replies), dict(self.calls)
        for key, found in other.replies.items():
            replies[key] = replies.get(key, Replies()).moved(found, sign)
        for pair, made in other.calls.items():
            calls[pair] = calls.get(pair, Calls()).moved(made, sign)
        return Record(
            self.judged + sign * other.judged,
            {key: found for key, found in replies.items() if found.count},
            {key: made for key, made in calls.items() if made.count},
        )

    def packed(self) -> dict[str, Any]:
        """The record as JSON."""
        return {
            "judged": self.judged,
            "replies": [
                [*key, r.count, r.milliseconds, as_text(r.first), as_text(r.last)]
                for key, r in sorted(self.replies.items())
            ],
            "calls": [
                [*key, c.count, c.cost, c.tokens_in, c.tokens_out, c.counted]
                for key, c in sorted(self.calls.items())
            ],
        }

    @classmethod
    def unpacked(cls, packed: Packed | None) -> "Record":
        if not packed:
            return cls()
        return cls(
            packed["judged"],
            {
                (state, model): Replies(count, ms, as_moment(first), as_moment(last))
                for state, model, count, ms, first, last, *_ in packed["replies"]
            },
            {
                (outcome, reading): from_row(Calls, sums)
                for outcome, reading, *sums in packed["calls"]
            },
        )


def extreme(
    choose: Callable[[Iterable[datetime]], datetime], *moments: datetime | None
) -> datetime | None:
    known = [moment for moment in moments if moment is not None]
    return choose(known) if known else None


def as_text(moment: datetime | None) -> str:
    return moment.isoformat() if moment else ""


def as_moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


# --- counting ---------------------------------------------------------------------------------


def count_record(runs: QuerySet[JudgeRun]) -> Record:
    """Of these runs, from their judgements and calls."""
    judgements = Judgement.objects.filter(run__in=runs).order_by()
    replied = judgements.filter(reused_from__isnull=True, latency_ms__isnull=False)
    replies = replied.values_list("state", "reported_model").annotate(
        Count("pk"), Sum("latency_ms"), Min("settled"), Max("settled")
    )
    calls = (
        JudgeCall.objects.filter(judgement__run__in=runs)
        .order_by()
        .values_list("outcome", "reading")
        .annotate(
            Count("pk"),
            Sum("cost"),
            Sum("prompt_tokens"),
            Sum("reply_tokens"),
            Count("reply_tokens"),
        )
    )
    return Record(
        judgements.filter(state=Judgement.State.JUDGED).count(),
        {(state, model): Replies(*sums) for state, model, *sums in replies},
        {
            (outcome, reading): Calls(*(number or 0 for number in sums))
            for outcome, reading, *sums in calls
        },
    )


def keep_record(sheet: Scoresheet) -> None:
    """The sheet and its judge have what its run adds up to. Within the transaction that writes the
    sheet, at its end: of two runs of a judge that are scored at once one waits for the other."""
    record = count_record(JudgeRun.objects.filter(pk=sheet.run_id))
    JudgeRecord.of_any_schema.get_or_create(judge_spec=sheet.judge_spec)
    held = JudgeRecord.objects.select_for_update(no_key=True).filter(judge_spec=sheet.judge_spec)
    whole = held.first()
    if whole is None:  # kept by newer code, which alone can add to it; the sheet's is as it was
        return
    moved = Record.unpacked(whole.totals).moved(Record.unpacked(sheet.record), -1).moved(record)
    JudgeRecord.objects.filter(pk=whole.pk).update(totals=moved.packed())
    Scoresheet.objects.filter(pk=sheet.pk).update(record=record.packed())


def records_of(specs: Iterable[int]) -> Mapping[int, Record]:
    """Of each of these judges what is kept: of its runs as they were last scored."""
    rows = JudgeRecord.objects.filter(judge_spec__in=specs)
    return {
        spec: Record.unpacked(totals) for spec, totals in rows.values_list("judge_spec", "totals")
    }


def counted_runs(spec: JudgeSpec) -> QuerySet[JudgeRun]:
    """The judge's runs that its record counts: all but those of hidden tests."""
    return JudgeRun.objects.filter(judge_spec=spec).exclude(
        submission__release__disclosure=Release.Disclosure.HIDDEN_TEST
    )


def read_record(spec: JudgeSpec) -> Record:
    """The record as of now: what is kept, and in place of what is kept of runs that are not scored
    as they stand, what these are."""
    kept = JudgeRecord.objects.filter(judge_spec=spec).values_list("totals", flat=True).first()
    whole = Record.unpacked(kept)
    unscored = counted_runs(spec).filter(unscored__isnull=False)
    if not unscored.exists():
        return whole
    for packed in Scoresheet.objects.filter(run__in=unscored).values_list("record", flat=True):
        whole = whole.moved(Record.unpacked(packed), -1)
    return whole.moved(count_record(unscored))
