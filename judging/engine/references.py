"""References written by a model from question and description: counted and priced before anybody
is asked, in the ledger, and proposed. Nothing that is judged against changes here: a person makes
a proposal live (proposals.py)."""

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from benchmarks.common.hashing import digest_of
from benchmarks.models import Description, Question, Reference, Release
from benchmarks.protocols.base import JudgeCase, ReferencePort, Slot
from benchmarks.selectors import protocol_of, question_view, release_questions
from judging.coordination import money
from judging.coordination.clock import database_now
from judging.coordination.spending import reason_to_wait
from judging.engine.site_calls import NotPaidError, SiteCall, ask, close_calls, open_calls
from judging.judge_parameters import merged
from judging.judges import judge_for
from judging.judges.base import Judge, JudgeHaltedError, JudgeRequest, Reply
from judging.models import JudgeCall, JudgeSpec, ReferenceProposal, ReferenceRequest
from judging.services.prompts import read_prompts
from judging.services.specs import chosen_parameters, provider_of

ASKED = Slot("reference")
CLAIM = timedelta(minutes=30)  # renewed with every batch, so that only a lost worker lets it end
PLACEHOLDER_DELIMITER = (
    "0" * 12
)  # for the random delimiter: a price read twice is the same; digits cost most


class NoReferencesError(Exception):
    """References of this release cannot be generated; the message says why."""


@dataclass(frozen=True, slots=True)
class Generated:
    """`made` proposals, `failed` questions by reason, `current` left alone, `undescribed` without a
    description."""

    made: int
    failed: Mapping[str, int]
    current: int
    undescribed: int


@dataclass(frozen=True, slots=True)
class ReferenceEstimate:
    """What a request will take, told before anything is spent. `first` of the `calls` are for
    questions without a reference; `replaced` counts the others by where the reference that is
    judged against now comes from. `cost` in micro is the most it may be, unless calls fail and
    somebody asks again. `refusal`: why nothing can be asked."""

    calls: int
    first: int
    replaced: Mapping[str, int]
    current: int
    undescribed: int
    cost: int
    is_priced: bool
    refusal: str


@dataclass(frozen=True, slots=True)
class Work:
    """The questions to be asked about, how many references are up to date or wait for a review, and
    how many questions have no approved description."""

    tasks: Sequence["Task"]
    current: int
    undescribed: int


@dataclass(frozen=True, slots=True)
class Live:
    """The reference that a question is judged against."""

    version: int
    origin: str
    description_id: int | None


@dataclass(frozen=True, slots=True)
class Task:
    question: Question
    description: Description
    request: JudgeRequest
    live: Live | None


def estimate_references(
    *, release: Release, model: str, endpoint: str, everything: bool = False
) -> ReferenceEstimate:
    """Nothing is written and nobody is asked. Raises NoReferencesError where the protocol has no
    such references."""
    texts, _ = reference_prompts(release, model)
    work = reference_work(release, texts, everything=everything, delimiter=PLACEHOLDER_DELIMITER)
    spec = spec_of(model, endpoint)
    prompts = [money.token_estimate(task.request.messages) for task in work.tasks]
    replaced = Counter(task.live.origin for task in work.tasks if task.live)
    prices = settings.JUDGE_ENDPOINTS.get(endpoint, {}).get("prices", {})
    return ReferenceEstimate(
        calls=len(work.tasks),
        first=len(work.tasks) - replaced.total(),
        replaced=replaced,
        current=work.current,
        undescribed=work.undescribed,
        cost=sum(money.worst_case(spec, tokens) for tokens in prompts),
        is_priced=model in prices,
        refusal=money.lacks_price(spec),
    )


@transaction.atomic
def request_references(
    *,
    release: Release,
    model: str,
    endpoint: str,
    requested_by: User | None,
    calls: int,
    cost: int,
    everything: bool = False,
    claimed: bool = False,
) -> ReferenceRequest:
    """A worker will have at most `calls` references written and propose them; `cost` is what the
    person was told. With `claimed`, the caller carries it out. Raises NoReferencesError while an
    earlier request is not finished."""
    Release.objects.select_for_update().get(pk=release.pk)
    if ReferenceRequest.objects.filter(release=release, finished__isnull=True).exists():
        raise NoReferencesError(
            "References of this release are asked for already. Wait until that request is finished."
        )
    return ReferenceRequest.objects.create(
        release=release,
        model=model,
        endpoint=endpoint,
        everything=everything,
        calls=calls,
        cost=cost,
        requested_by=requested_by,
        claimed_until=Now() + CLAIM if claimed else None,
    )


def stop_request(*, request: ReferenceRequest, by: User) -> None:
    """Nobody is asked for more of it: a worker that has it ends after the calls under way, whose
    replies are proposed as all are. Raises NoReferencesError where it is finished or stopped."""
    running = ReferenceRequest.objects.filter(pk=request.pk, finished=None, stopped=None)
    now = database_now()
    if not running.update(stopped=now, stopped_by=by):
        raise NoReferencesError("It is finished or stopped already. Nothing changed.")
    unclaimed = ReferenceRequest.objects.claimable().filter(pk=request.pk)
    unclaimed.update(finished=now, outcome=stopped_sentence(by))


def stopped_sentence(by: User | None) -> str:
    return f"stopped by {by.get_username() if by else 'somebody whose account is gone'}"


def still_wanted(request: ReferenceRequest) -> None:
    """The request is held for another while. Raises NoReferencesError where somebody stopped it, or
    nothing may be spent any more."""
    if reason := reason_to_wait():
        raise NoReferencesError(f"{request.proposals.count()} proposed, then stopped. {reason}")
    row = ReferenceRequest.objects.filter(pk=request.pk)
    if not row.filter(stopped=None).update(claimed_until=Now() + CLAIM):
        by = row.select_related("stopped_by").get().stopped_by
        made = request.proposals.count()
        raise NoReferencesError(f"{made} proposed, then {stopped_sentence(by)}")


def write_requested_references(*, request_id: int, judge: Judge | None = None) -> bool:
    """The request is finished afterwards, with what became of it. False where another worker has
    it, or nothing may be spent."""
    if reason_to_wait():
        return False
    mine = ReferenceRequest.objects.claimable().filter(pk=request_id)
    if not mine.update(claimed_until=Now() + CLAIM):
        return False
    request = ReferenceRequest.objects.select_related("release__benchmark").get(pk=request_id)
    with suppress(NoReferencesError, JudgeHaltedError):  # its outcome says so
        generate_references(request=request, judge=judge)
    return True


def generate_references(
    *,
    request: ReferenceRequest,
    judge: Judge | None = None,
    on_progress: Callable[[int], object] = lambda asked: None,
) -> Generated:
    """Questions whose reference was not made from today's approved description have a proposal, as
    many as were agreed to; the request is finished, with its outcome. The caller has claimed it.

    Raises NoReferencesError where the protocol has no such references or the budget ends, and
    JudgeHaltedError where the endpoint cannot be used.
    """
    try:
        done = carry_out(request, judge, on_progress)
    except (NoReferencesError, JudgeHaltedError) as error:
        finish(request, str(error))
        raise
    failed = sum(done.failed.values())
    finish(request, f"{done.made} proposed, {done.current} current, {failed} failed")
    return done


def finish(request: ReferenceRequest, outcome: str) -> None:
    ReferenceRequest.objects.filter(pk=request.pk).update(
        finished=database_now(), outcome=outcome[:300]
    )


def carry_out(
    request: ReferenceRequest, judge: Judge | None, on_progress: Callable[[int], object]
) -> Generated:
    texts, maker = reference_prompts(request.release, request.model)
    spec = spec_of(request.model, request.endpoint)
    if refusal := money.lacks_price(spec):
        raise NoReferencesError(refusal)
    asked = set(request.proposals.values_list("question_id", flat=True))
    work = reference_work(request.release, texts, everything=request.everything, without=asked)
    tasks = work.tasks[: max(request.calls - len(asked), 0)]
    failed: Counter[str] = Counter()
    size = settings.JUDGE_CONCURRENCY
    for start in range(0, len(tasks), size):
        batch = tasks[start : start + size]
        still_wanted(request)
        asking = judge or judge_for(spec)
        failed.update(ask_references(batch, asking, spec, maker, request, close=judge is None))
        on_progress(len(batch))
    made = len(asked) + len(tasks) - failed.total()
    return Generated(made, failed, work.current, work.undescribed)


def spec_of(model: str, endpoint: str) -> JudgeSpec:
    """Not stored. The longest reply is sent along, so that what a request costs has an upper
    end."""
    parameters = merged({"temperature": 0}, chosen_parameters(endpoint, model))
    return JudgeSpec(
        kind=provider_of(endpoint), endpoint=endpoint, model=model, parameters=parameters
    )


def reference_prompts(release: Release, model: str) -> tuple[Mapping[str, str], str]:
    """The prompt texts, and how a reference made with them names its origin."""
    family = protocol_of(release)
    port = port_of(release)
    texts: Mapping[str, str] = read_prompts((family.prompts / f"{port.PROMPTS}.toml").read_bytes())[
        "texts"
    ]
    return texts, f"{model}, prompts {port.PROMPTS} {digest_of(texts)[:12]}"


def port_of(release: Release) -> ReferencePort:
    family = protocol_of(release)
    if family.references is None:
        raise NoReferencesError(f"The references of {family.title} come with its dataset.")
    if release.state not in (Release.State.DRAFT, Release.State.OPEN):
        raise NoReferencesError(f"{release} is {release.state}: its references stay as they are.")
    return family.references


def reference_work(
    release: Release,
    texts: Mapping[str, str],
    *,
    everything: bool,
    without: Collection[int] = (),
    delimiter: str = "",
) -> Work:
    """What is to be asked. A proposal that waits for its review counts as made: nobody pays for it
    twice."""
    port = port_of(release)
    approved = Description.objects.filter(
        language=release.language, state=Description.State.APPROVED
    )
    descriptions = {
        d.figure_id: d
        for d in approved.filter(figure__questions__releases=release).order_by("version")
    }
    newest = Reference.objects.filter(question__releases=release).newest()
    found = newest.values_list("question_id", "version", "origin", "description_id")
    live = {question: Live(version, origin, made) for question, version, origin, made in found}
    proposed = set(
        ReferenceProposal.objects.filter(
            question__releases=release,
            state=ReferenceProposal.State.IN_REVIEW,
            description__isnull=False,
        ).values_list("question_id", "description_id")
    )
    tasks: list[Task] = []
    current = undescribed = 0
    for question in release_questions(release):
        description = descriptions.get(question.figure_id or 0)
        proposal = live.get(question.pk)
        if question.pk in without:
            continue
        if description is None:
            undescribed += 1
        elif (question.pk, description.pk) in proposed or (
            not everything and proposal and proposal.description_id == description.pk
        ):
            current += 1
        else:
            view = question_view(question)
            case = JudgeCase(ASKED, view, "", description.text, "")
            sent = port.messages(view, description.text, texts, delimiter or secrets.token_hex(6))
            tasks.append(Task(question, description, JudgeRequest(case, sent), proposal))
    return Work(tasks, current, undescribed)


def ask_references(
    tasks: Sequence[Task],
    judge: Judge,
    spec: JudgeSpec,
    maker: str,
    request: ReferenceRequest,
    *,
    close: bool,
) -> list[str]:
    """Each good reply is a proposal afterwards; the reasons of the others. Every call is in the
    ledger first, and paid for from the budget of the site."""
    calls = [SiteCall(JudgeCall(question=task.question), task.request) for task in tasks]
    try:
        open_calls(calls, spec)
    except NotPaidError as error:
        raise NoReferencesError(f"Not paid for: {error}.") from None
    ask(calls, judge, at_once=len(calls), closes_judge=close)
    close_calls(calls, spec)
    results = [call.result for call in calls]
    failed = []
    for task, result in zip(tasks, results, strict=True):
        if not (
            isinstance(result, Reply) and result.finish_reason == "stop" and result.text.strip()
        ):
            failed.append(why_failed(result))
            continue
        ReferenceProposal.objects.create(
            question=task.question,
            text=result.text.strip(),
            origin=Reference.Origin.GENERATED,
            maker=maker,
            description=task.description,
            replaces=task.live.version if task.live else 0,
            request=request,
            author=request.requested_by,
        )
    for result in results:  # what was paid for is kept before
        if isinstance(result, JudgeHaltedError):
            raise result
    return failed


def why_failed(result: Reply | Exception | None) -> str:
    if isinstance(result, Reply):
        return f"no whole reply ({result.finish_reason})"
    return str(result or "not asked any more")
