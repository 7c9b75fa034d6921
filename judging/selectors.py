"""Reading what was decided: counts of a run, verdicts of a submission, and the cases still to be
judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from sys import intern

from django.conf import settings
from django.db.models import Count

from benchmarks.models import Reference
from benchmarks.protocols.base import JudgeCase, JudgingPort, QuestionView, Slot
from benchmarks.registry import protocol
from benchmarks.selectors import kept_truths, newest_references, protocol_of, question_view
from benchmarks.submissions.models import Answer, Submission
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.querysets import UNFINISHED
from judging.texts import TextIds, texts_read, todays_texts, words_of

State = Judgement.State

VERDICTS_AT_ONCE = 2_000  # rows read ahead, 1 MB


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Judgements of a run by what became of them; what people left out is `excluded`, and has not
    failed."""

    asked: int
    judged: int
    unreadable: int
    failed: int
    excluded: int
    open: int

    @property
    def percent_done(self) -> int:
        return 100 * (self.asked - self.open) // self.asked if self.asked else 0


def why_never_asked(spec: JudgeSpec) -> str:
    """Why a judge makes no verdict any more: this project reads replies, or rules, otherwise today,
    and two ways must not stand in one scoresheet. Empty where it may be asked."""
    family = protocol(spec.protocol)
    judging = family.judging
    if spec.parser_version not in judging.PARSER_VERSIONS:
        versions = ", ".join(judging.PARSER_VERSIONS)
        return (
            f"this judge reads replies by version {spec.parser_version}; today there are {versions}"
        )
    if not spec.is_offline:
        return ""
    if (today := family.rules(spec.rules_name)) is None:
        return f"this judge is of rules {spec.model}; today there are none of that name"
    if spec.model != today.model:
        return f"this judge is of rules {spec.model}; today there are rules {today.model}"
    return ""


def reported_model_of(spec: JudgeSpec) -> str:
    """What the endpoint reports as the spec's model: as pinned, else as it did with the first
    verdict; "" before it."""
    if spec.answers_as:
        return spec.answers_as
    reported = Judgement.objects.filter(judge_spec=spec, state=Judgement.State.JUDGED).exclude(
        reported_model=""
    )
    return reported.order_by("pk").values_list("reported_model", flat=True).first() or ""


def run_counts(run: JudgeRun) -> RunCounts:
    return counts_of(dict(run.judgements.order_by().values_list("state").annotate(Count("pk"))))


def counts_of(found: Mapping[str, int]) -> RunCounts:
    """Of how many judgements there are in each state."""
    return RunCounts(
        asked=sum(found.values()),
        judged=found.get(State.JUDGED, 0),
        unreadable=found.get(State.UNREADABLE, 0),
        failed=sum(found.get(state, 0) for state in (State.REFUSED, State.TOO_LONG, State.FAILED)),
        excluded=found.get(State.EXCLUDED, 0),
        open=sum(found.get(state, 0) for state in UNFINISHED),
    )


def runs_ahead() -> int:
    """Runs asked for before one that is asked for now."""
    return JudgeRun.objects.queued().count()


def slot_from_key(key: str) -> Slot:
    name, _, repeat = key.rpartition(".")
    return Slot(name, int(repeat))


def verdicts_of(run: JudgeRun, public_ids: Sequence[str]) -> Mapping[str, list[str | None]]:
    """Verdicts by slot key, in the order of `public_ids`; None where there is none."""
    place = {public_id: i for i, public_id in enumerate(public_ids)}
    found: dict[str, list[str | None]] = {}
    rows = run.judgements.values_list("slot", "answer__question__public_id", "state", "verdict")
    # Three runs of 10,290 answers by five prompts are 50 MB at once, and in one string per verdict
    # 8.
    for slot, public_id, state, verdict in rows.iterator(chunk_size=VERDICTS_AT_ONCE):
        column = found.setdefault(slot, [None] * len(place))
        if state == State.JUDGED:
            column[place[public_id]] = intern(verdict)
    return found


@dataclass(frozen=True, slots=True)
class Decided:
    """When a judgement ended, and by which call of the ledger; None where it has not ended, or
    where nobody was called."""

    at: datetime | None
    call: int | None


def decided_by(run: JudgeRun, answer_ids: Sequence[int]) -> Mapping[tuple[int, str], Decided]:
    """By answer and slot. A verdict that was taken over from the same case has the call that made
    it there. Two queries, by keys."""
    rows = list(
        run.judgements.filter(answer__in=answer_ids).values_list(
            "answer", "slot", "pk", "reused_from", "settled"
        )
    )
    asked = {reused or pk for _, _, pk, reused, settled in rows if settled}
    calls: dict[int, list[tuple[datetime, int]]] = {}
    found = JudgeCall.objects.filter(judgement__in=asked).order_by("pk")
    for judgement, started, call in found.values_list("judgement", "started", "pk"):
        calls.setdefault(judgement, []).append((started, call))
    return {
        (answer, slot): Decided(settled, last_call(calls.get(reused or pk, ()), settled))
        for answer, slot, pk, reused, settled in rows
    }


def last_call(calls: Iterable[tuple[datetime, int]], until: datetime | None) -> int | None:
    """Of those that began by then: what a verdict was taken over from may be asked anew since."""
    return max((call for started, call in calls if until and started <= until), default=None)


def references_read(run: JudgeRun) -> Mapping[int, str]:
    """By answer, the reference that its verdicts were made by, the newest where they differ, and
    today's where none tells; answers without either are not among them."""
    judged = run.judgements.filter(state=State.JUDGED, texts__reference__isnull=False)
    rows = judged.order_by("texts__reference__version", "texts__reference")
    read: dict[int, int] = dict(rows.values_list("answer", "texts__reference"))
    texts = words_of(Reference, read.values())
    unrecorded = run.submission.answers.exclude(pk__in=judged.values("answer")).order_by()
    questions: dict[int, int] = dict(unrecorded.values_list("pk", "question"))
    todays = newest_references(questions.values()) if questions else {}
    return {
        **{answer: todays[asked] for answer, asked in questions.items() if asked in todays},
        **{answer: texts[reference] for answer, reference in read.items()},
    }


def cases_of(judgements: Sequence[Judgement], spec: JudgeSpec) -> list[JudgeCase]:
    """What the judge may know of each judgement, in order. Blind: neither submission nor model
    enters a case.

    Needs `answer__question__subtask__ability`, `answer__question__figure` and
    `answer__submission__release` selected.
    """
    return [case for case, _ in cases_and_texts_of(judgements, spec)]


def cases_and_texts_of(
    judgements: Sequence[Judgement], spec: JudgeSpec
) -> list[tuple[JudgeCase, TextIds]]:
    """What `cases_of` returns, each with the versions of the texts in it."""
    return build_cases([(row.answer, slot_from_key(row.slot)) for row in judgements], spec)


def build_cases(
    asked: Sequence[tuple[Answer, Slot]], spec: JudgeSpec
) -> list[tuple[JudgeCase, TextIds]]:
    """Cases by today's texts, in order, each with the versions of these; what the judge does not
    read is empty."""
    answers, slots = [answer for answer, _ in asked], [slot for _, slot in asked]
    texts = todays_texts(answers, texts_read(spec))
    releases = {answer.submission.release_id: answer.submission.release for answer in answers}
    kept = {key: kept_truths(release) for key, release in releases.items()}
    views = [
        question_view(answer.question, kept[answer.submission.release_id]) for answer in answers
    ]
    peers = peer_answers(answers, views, slots)
    return [
        (
            JudgeCase(
                slot=slot,
                question=view,
                reference=read.reference,
                description=read.description,
                answer=answer.text,
                peer_answer=peer,
            ),
            read.ids,
        )
        for answer, view, slot, peer, read in zip(answers, views, slots, peers, texts, strict=True)
    ]


def slots_of(
    answers: Sequence[Answer], spec: JudgeSpec, judging: JudgingPort
) -> list[tuple[Answer, Slot]]:
    """Every call that the spec takes for these answers."""
    return [
        (answer, slot)
        for answer in answers
        for slot in judging.slots(question_view(answer.question), spec.repeats)
    ]


def peer_answers(
    answers: Sequence[Answer], views: Sequence[QuestionView], slots: Sequence[Slot]
) -> list[str | None]:
    """The other answer of the same submission that each call shows too, None where it needs
    none."""
    if not answers:
        return []
    judging = protocol_of(answers[0].submission.release).judging
    wanted = [judging.peer(view, slot) for view, slot in zip(views, slots, strict=True)]
    texts = {
        (answer.submission_id, view.public_id): answer.text
        for answer, view in zip(answers, views, strict=True)
    }
    missing = {
        (answer.submission_id, peer)
        for answer, peer in zip(answers, wanted, strict=True)
        if peer and (answer.submission_id, peer) not in texts
    }
    rows = Answer.objects.filter(
        submission__in={submission for submission, _ in missing},
        question__public_id__in={public_id for _, public_id in missing},
    ).values_list("submission_id", "question__public_id", "text")
    texts |= {(submission, public_id): text for submission, public_id, text in rows}
    return [
        texts.get((answer.submission_id, peer)) if peer else None
        for answer, peer in zip(answers, wanted, strict=True)
    ]


def planned_calls(submission: Submission) -> int:
    """How many judgements the default judge will make of the submission, reused ones included."""
    judging = protocol_of(submission.release).judging
    repeats = 1 if settings.DEFAULT_JUDGE == JudgeSpec.RULES else judging.DEFAULT_REPEATS
    answers = submission.answers.select_related("question__subtask__ability", "question__figure")
    return sum(len(judging.slots(question_view(answer.question), repeats)) for answer in answers)
