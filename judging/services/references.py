"""Reference answers written by a model from question and description: asked for, in the ledger, stored as versions."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models.functions import Now

from benchmarks.models import Description, Question, Reference, Release
from benchmarks.protocols.base import BenchmarkProtocol, JudgeCase, ReferencePort, Slot
from benchmarks.references import LockedContentError, add_reference
from benchmarks.selectors import protocol_of, question_view, release_questions
from benchmarks.services import digest_of
from judging import queue
from judging.clock import database_now
from judging.judges import judge_for
from judging.judges.base import Judge, JudgeHaltedError, JudgeRequest, Reply
from judging.models import JudgeSpec, ReferenceRequest
from judging.services.offline import ask_all
from judging.services.outcomes import closing_of
from judging.services.prompts import read_prompts

ASKED = Slot("reference")
CLAIM = timedelta(minutes=30)


class NoReferencesError(Exception):
    """References of this release cannot be generated; the message says why."""


@dataclass(frozen=True, slots=True)
class Generated:
    """`made` new versions, `failed` questions by reason, `current` left alone, `undescribed` without a description."""

    made: int
    failed: Mapping[str, int]
    current: int
    undescribed: int


@dataclass(frozen=True, slots=True)
class Task:
    question: Question
    description: Description
    request: JudgeRequest


def request_references(*, release: Release, model: str, endpoint: str, requested_by: User | None) -> ReferenceRequest:
    """A worker will write the references that today's descriptions ask for."""
    return ReferenceRequest.objects.create(release=release, model=model, endpoint=endpoint, requested_by=requested_by)


def write_requested_references(*, request_id: int, judge: Judge | None = None) -> bool:
    """The request is finished afterwards, with what became of it. False where another worker has it."""
    mine = ReferenceRequest.objects.claimable().filter(pk=request_id)
    if not mine.update(claimed_until=Now() + CLAIM):
        return False
    request = ReferenceRequest.objects.select_related("release__benchmark").get(pk=request_id)
    try:
        done = generate_references(release=request.release, model=request.model, endpoint=request.endpoint, judge=judge)
        outcome = f"{done.made} made, {done.current} current, {sum(done.failed.values())} failed"
    except (NoReferencesError, LockedContentError, JudgeHaltedError) as error:
        outcome = str(error)
    ReferenceRequest.objects.filter(pk=request_id).update(finished=database_now(), outcome=outcome[:300])
    return True


def generate_references(
    *,
    release: Release,
    model: str,
    endpoint: str,
    everything: bool = False,
    judge: Judge | None = None,
    on_progress: Callable[[int], object] = lambda asked: None,
) -> Generated:
    """Questions whose reference was not made from today's approved description get a new version.

    With `everything`, all that have a description do. Raises NoReferencesError where the protocol has no such
    references, and JudgeHaltedError where the endpoint cannot be used.
    """
    family = protocol_of(release)
    port = family.references
    if port is None:
        raise NoReferencesError(f"The references of {family.title} come with its dataset.")
    texts, maker = reference_prompts(family, port, model)
    tasks, current, undescribed = reference_tasks(release, port, texts, everything=everything)
    spec = JudgeSpec(kind=JudgeSpec.Kind.OPENAI, endpoint=endpoint, model=model, parameters={"temperature": 0})
    failed: dict[str, int] = {}
    size = settings.JUDGE_CONCURRENCY
    for start in range(0, len(tasks), size):
        batch = tasks[start : start + size]
        for reason in ask_references(batch, judge or judge_for(spec), maker, close=judge is None):
            failed[reason] = failed.get(reason, 0) + 1
        on_progress(len(batch))
    return Generated(len(tasks) - sum(failed.values()), failed, current, undescribed)


def reference_prompts(family: BenchmarkProtocol, port: ReferencePort, model: str) -> tuple[Mapping[str, str], str]:
    """The prompt texts, and how a reference made with them names its origin."""
    texts: Mapping[str, str] = read_prompts((family.prompts / f"{port.PROMPTS}.toml").read_bytes())["texts"]
    return texts, f"{model}, prompts {port.PROMPTS} {digest_of(texts)[:12]}"


def reference_tasks(
    release: Release, port: ReferencePort, texts: Mapping[str, str], *, everything: bool
) -> tuple[list[Task], int, int]:
    """What is to be asked; how many references are current; how many questions have no approved description."""
    questions = release_questions(release)
    approved = Description.objects.filter(language=release.language, state=Description.State.APPROVED)
    descriptions = {d.figure_id: d for d in approved.filter(figure__questions__releases=release).order_by("version")}
    newest = Reference.objects.filter(question__releases=release).newest()
    made_from = dict(newest.values_list("question_id", "description_id"))
    tasks: list[Task] = []
    current = undescribed = 0
    for question in questions:
        description = descriptions.get(question.figure_id or 0)
        if description is None:
            undescribed += 1
        elif made_from.get(question.pk) == description.pk and not everything:
            current += 1
        else:
            view = question_view(question)
            case = JudgeCase(ASKED, view, "", description.text, "")
            request = JudgeRequest(case, port.messages(view, description.text, texts))
            tasks.append(Task(question, description, request))
    return tasks, current, undescribed


def ask_references(tasks: Sequence[Task], judge: Judge, maker: str, *, close: bool) -> list[str]:
    """Each good reply is a new version afterwards; the reasons of the others. Every call is in the ledger first."""
    calls = queue.open_reference_calls([task.question for task in tasks])
    results = asyncio.run(ask_all(judge, [task.request for task in tasks], close=close))
    queue.close_calls([closing_of(call.pk, result) for call, (result, _) in zip(calls, results, strict=True)])
    failed = []
    for task, (result, _) in zip(tasks, results, strict=True):
        if isinstance(result, JudgeHaltedError):
            raise result
        if not isinstance(result, Reply) or result.finish_reason != "stop" or not result.text.strip():
            failed.append(str(result) if isinstance(result, Exception) else f"no whole reply ({result.finish_reason})")
            continue
        add_reference(
            question=task.question,
            text=result.text.strip(),
            origin=Reference.Origin.GENERATED,
            maker=maker,
            description=task.description,
        )
    return failed
