"""Whatever happens to uploads, workers, endpoint and people, and in whatever order: nothing lost,
judged or paid twice.

The workers are engines, taken step by step: their requests leave and come back when a rule says so.
Time passes by moving rows into the past. Every example is rolled back.
"""

import io
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import wraps
from typing import Any
from uuid import UUID

import hypothesis
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.test import override_settings
from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from benchmarks.models import Description, Figure, Question, Release
from benchmarks.protocols.base import Message
from benchmarks.registry import protocol
from benchmarks.services.descriptions import (
    DESCRIPTION_REVIEW,
    save_draft,
    submit_for_review,
)
from benchmarks.services.importing import import_release
from benchmarks.services.proposals import ProposalError
from benchmarks.services.references import add_reference
from benchmarks.submissions.models import Submission
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import confirm_submission, withdraw_submission
from judging.coordination import limits, money, queue
from judging.coordination.queue import MAX_ATTEMPTS
from judging.desk.stale.staleness import rejudge_stale
from judging.engine.dispatcher import Call, Dispatcher, Outcome
from judging.engine.engine import Engine
from judging.judges.base import JudgeHaltedError, JudgeRefusedError, JudgeUnavailableError, Reply
from judging.models import JudgeCall, Judgement, JudgeRun, Spend
from judging.services import ensure_spec, pause_run, plan_run, request_run, resume_run, retry_failed
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import idle_runs, prepare
from leaderboard.results.services import score_finished_runs
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge
from tests.provider.verdicts import DELIMITER

State = Judgement.State
Asked = JudgeCall.Outcome
HOUR = timedelta(hours=1)
LINES = b"1|two|two|one.png\n2|colour|colour|dark.png\n3|sea|sea\n"
ANSWERS = st.tuples(*[st.sampled_from(["two", "too", "sea", " "])] * 3)
TEXTS = ["A cat.", "A dog."]
TWO_CALLS = 5000  # micro
MOST_SUBMISSIONS = 3
MOST_WORKERS = 3


def truth(messages: Sequence[Message]) -> str:
    """The verdict a good judge has on what it was shown, whoever asks and however often: also where
    it is told what was wrong with its last reply."""
    shown = DELIMITER.sub("", "".join(message.content for message in messages[:1]))
    return ("right", "wrong")[zlib.crc32(shown.encode()) % 2]


def read_well(messages: Sequence[Message]) -> Reply:
    return Reply(truth(messages), prompt_tokens=10, reply_tokens=1)


Script = Sequence[tuple[int, str, int, str]]
Result = Callable[[Sequence[Message]], Reply | Exception]
BILLED: dict[str, Result] = {
    "verdict": read_well,
    "no verdict": lambda _: Reply("maybe", prompt_tokens=10, reply_tokens=1),
    "refusal": lambda _: Reply("", finish_reason="refusal"),
    "timeout": lambda _: JudgeUnavailableError("no answer", is_unknown=True),
}
FREE: dict[str, Result] = {
    "server error": lambda _: JudgeUnavailableError("HTTP 500"),
    "overload": lambda _: JudgeUnavailableError("HTTP 429", 3600, is_limit=True),
    "bad request": lambda _: JudgeRefusedError("HTTP 400"),
    "wrong key": lambda _: JudgeHaltedError("HTTP 401", is_endpoint_wide=True),
    "no such model": lambda _: JudgeHaltedError("HTTP 404"),
}
RESULTS = BILLED | FREE
KIND = st.sampled_from(["verdict"] * 6 + ["no verdict", "timeout"] * 2 + list(RESULTS))
STEP = st.sampled_from(["claim", "send", "answer", "store"])
WHICH = st.integers(0, 5)
SCRIPT = st.lists(st.tuples(WHICH, STEP, st.integers(1, 4), KIND), min_size=2, max_size=8)


class Post(Dispatcher):
    """A dispatcher without a loop: calls stay here until `answer` says what comes back."""

    def __init__(self) -> None:
        self.cap, self.ceiling, self.load = 100, 100.0, 0
        self.slowest = 0.0
        self.handed_in: list[Call] = []
        self.came: list[Outcome] = []

    @property
    def waiting(self) -> int:
        return len(self.handed_in)

    @property
    def was_cut(self) -> bool:
        return False

    @property
    def bears(self) -> int:
        return 0  # nothing is known of an endpoint that a test only plays

    def send(self, calls: Sequence[Call]) -> None:
        self.handed_in += calls

    def answer(self, call: Call, result: Reply | Exception) -> None:
        self.handed_in.remove(call)
        self.came.append(Outcome(call.key, result, 1))

    def take(self) -> list[Outcome]:
        taken, self.came = self.came, []
        return taken

    def recall(self) -> list[int]:
        found, self.handed_in = [call.key for call in self.handed_in], []
        return found

    def hold(self, seconds: float) -> None:
        return

    def close(self, *, judge: bool) -> None:
        return


class Worker(Engine):
    """An engine whose loop is turned by hand."""

    post: Post

    def __init__(self, run: JudgeRun) -> None:
        super().__init__(run, ScriptedJudge([""]), closes_judge=False)
        self.dispatcher.close(judge=False)
        self.dispatcher = self.post = Post()

    def look_around(self) -> None:
        """What the loop does before it feeds: leases renewed, the decisions of others obeyed."""
        self.next_heartbeat = self.leases.next_renewal = 0.0
        self.heartbeat(1.0)
        if self.is_stopped:
            self.release_unasked()

    def take_in(self, count: int) -> None:
        self.look_around()
        if not self.is_stopped:
            self.settled += self.intake.claim(count, held=self.held())

    def hand_over(self, count: int) -> None:
        """What somebody else holds meanwhile is not asked, unless its case changed, which no worker
        can know."""
        self.look_around()
        for item in self.intake.waiting:
            held = Judgement.objects.filter(
                pk=item.row.pk, state=State.LEASED, content_key=item.content_key
            )
            assert not held.exclude(holder=self.leases.holder).exists()
        if items := self.intake.first(count):
            self.send(items)


def after_work(**drawn: st.SearchStrategy[Any]) -> Callable[[Any], Any]:
    """A rule before which the workers take some steps: rules are drawn evenly, and most steps are
    theirs."""

    def decorate(happening: Callable[..., None]) -> Any:
        @rule(script=SCRIPT, **drawn)  # type: ignore[call-overload]  # the stubs know no drawn keywords
        @wraps(happening)
        def happen(self: "Judging", *args: Any, script: Script = (), **values: Any) -> None:
            self.work(script)
            happening(self, *args, **values)

        return happen

    return decorate


class Judging(RuleBasedStateMachine):
    release: Release
    owner: User
    reviewer: User

    def __init__(self) -> None:
        super().__init__()
        settings.BUDGET_SITE_DAY = 0.0
        self.undone = transaction.atomic()
        self.undone.__enter__()
        self.workers: list[Worker] = []
        self.states = Counter[str]()
        self.verdicts: dict[int, tuple[str, str]] = {}
        self.billed = Counter[int]()
        self.good = Counter[tuple[int, str]]()
        self.discarded = Counter[int]()
        self.calls_when_withdrawn: dict[UUID, int] = {}

    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            transaction.set_rollback(True)
            self.undone.__exit__(None, None, None)

    # --- people -----------------------------------------------------------------------------------

    @initialize(first=ANSWERS, second=ANSWERS)
    def begin(self, first, second):
        self.upload(first, confirm=True)
        self.upload(second, confirm=True)
        self.sweep()

    @precondition(lambda self: Submission.objects.count() < MOST_SUBMISSIONS)
    @after_work(said=ANSWERS, confirm=st.booleans())
    def upload(self, said, confirm):
        content = "\n".join(
            f"{number}={text}" for number, text in enumerate(said, start=1)
        ).encode()
        submit(
            self.release,
            self.owner,
            content,
            name=f"Model {Submission.objects.count()}",
            confirm=confirm,
        )

    @precondition(lambda self: Submission.objects.filter(confirmed=None).exists())
    @after_work()
    def confirm(self):
        for submission in Submission.objects.filter(confirmed=None):
            confirm_submission(submission=submission, visibility="public")

    @precondition(lambda self: Submission.objects.not_withdrawn().count() > 1)
    @after_work(which=WHICH)
    def withdraw(self, which):
        standing = Submission.objects.not_withdrawn().order_by("created")
        submission = standing[which % len(standing)]
        withdraw_submission(submission=submission)
        self.calls_when_withdrawn[submission.pk] = calls_of(submission.pk)

    @after_work(key=st.sampled_from(["one.png", "dark.png"]), text=st.sampled_from(TEXTS))
    def edit(self, key, text):
        """A description, which the judge sees, and a reference, which it does not."""
        figure = Figure.objects.get(key=key)
        newest = (
            Description.objects.filter(figure=figure).aggregate(newest=Max("version"))["newest"]
            or 0
        )
        try:
            draft = save_draft(
                figure=figure, language="en", text=text, author=self.owner, base_version=newest
            )
        except ProposalError:
            return
        submit_for_review(description=draft)
        DESCRIPTION_REVIEW.approve(proposal=draft, reviewer=self.reviewer)
        add_reference(question=Question.objects.get(figure=figure), text=text, origin="human")

    @after_work()
    def judge_what_is_stale_again(self):
        before = dict(Judgement.objects.values_list("pk", "content_key"))
        rejudge_stale(release=self.release)
        for pk, key in Judgement.objects.values_list("pk", "content_key"):
            if key != before[pk]:
                self.verdicts.pop(pk, None)

    @after_work(which=WHICH)
    def pause(self, which):
        runs = self.planned_runs()
        pause_run(run=runs[which % len(runs)], kind=JudgeRun.Pause.PERSON, reason="let me see")

    @after_work()
    def resume(self):
        """A person looks at everything that waits for one."""
        limits.reopen("none")
        for run in self.planned_runs():
            resume_run(run=run)
            retry_failed(run=run, by=None)

    @after_work(is_short=st.booleans())
    def change_the_budget(self, is_short):
        spent = (
            Spend.objects.filter(scope__startswith="site/").aggregate(most=Max("cost"))["most"] or 0
        )
        settings.BUDGET_SITE_DAY = (spent + TWO_CALLS) / money.MICRO if is_short else 0.0

    # --- time -------------------------------------------------------------------------------------

    @precondition(lambda self: self.states[State.LEASED])
    @after_work(is_noticed=st.booleans())
    def let_leases_run_out(self, is_noticed):
        """Every worker was frozen, or without database, for longer than its lease."""
        for worker in self.workers:
            worker.leases.renewed = -HOUR.total_seconds()
        Judgement.objects.filter(state=State.LEASED).update(lease_until=Now() - HOUR)
        if is_noticed:
            queue.release_expired()

    @after_work()
    def wait_until_the_next_try(self):
        Judgement.objects.exclude(not_before=None).update(not_before=Now() - HOUR)

    @after_work()
    def sweep(self):
        prepare()
        standing = JudgeRun.objects.not_withdrawn()
        complete = set(standing.finished().values_list("pk", flat=True))
        scorable = set(standing.scorable().values_list("pk", flat=True))
        before = dict(Scoresheet.objects.values_list("run", "computed"))
        score_finished_runs()
        after = dict(Scoresheet.objects.values_list("run", "computed"))
        assert {run for run in after if after[run] != before.get(run)} <= scorable
        assert complete <= after.keys()
        assert not JudgeRun.objects.unplanned().not_withdrawn().exists()
        assert not Submission.objects.confirmed().not_withdrawn().filter(runs=None).exists()
        assert not Judgement.objects.all().expired().exists()
        for run in self.planned_runs():
            if run.pk in idle_runs() and len(self.workers) < MOST_WORKERS:
                self.workers.append(Worker(run))

    # --- workers ----------------------------------------------------------------------------------

    def planned_runs(self) -> list[JudgeRun]:
        return list(
            JudgeRun.objects.exclude(planned=None).select_related(
                "judge_spec__prompt_set", "submission__release__benchmark"
            )
        )

    @precondition(lambda self: len(self.workers) < MOST_WORKERS)
    @after_work(which=WHICH)
    def deliver_a_message(self, which):
        """Another worker takes up a run; planning again, as a second sweep would, changes
        nothing."""
        runs = self.planned_runs()
        run = runs[which % len(runs)]
        assert not plan_run(run_id=run.pk)
        self.workers.append(Worker(run))

    def work(self, script: Script) -> None:
        for which, step, count, kind in script:
            if not self.workers:
                return
            worker = self.workers[which % len(self.workers)]
            if step == "claim":
                worker.take_in(count)
            elif step == "send":
                worker.hand_over(count)
            elif step == "answer":
                for call in worker.post.handed_in[:count]:
                    self.answer(worker, call, kind)
            else:
                self.store(worker)
            if worker.is_stopped and not worker.sent:
                self.stop(worker)

    def answer(self, worker: Worker, call: Call, kind: str) -> None:
        """The endpoint gets the request, and what comes of it; it stood in the ledger before."""
        item = worker.sent[call.key]
        assert item.call is not None, "sent without a ledger row"
        assert (
            JudgeCall.objects.get(pk=item.call.pk, judgement=item.row, outcome=Asked.OPEN).fence
            == item.row.fence
        )
        self.billed[item.row.pk] += kind in BILLED
        self.good[item.row.pk, item.content_key] += kind == "verdict"
        worker.post.answer(call, RESULTS[kind](call.request.messages))

    def store(self, worker: Worker) -> None:
        """Whoever lost a row meanwhile changes nothing of it."""
        items = [worker.sent[outcome.key] for outcome in worker.post.came]
        held = {item.row.pk for item in items if held_as(item.row)}
        lost = Judgement.objects.filter(
            pk__in=[item.row.pk for item in items if item.row.pk not in held]
        )
        before = list(lost.order_by("pk").values())
        worker.collect(worker.flushed + 60)
        assert list(lost.order_by("pk").values()) == before
        self.discarded.update(lost.values_list("pk", flat=True))

    @after_work(which=st.integers(0, MOST_WORKERS - 1))
    def crash(self, which):
        """What it claimed, asked and heard is forgotten; only the database remembers."""
        del self.workers[which : which + 1]

    @after_work(which=st.integers(0, MOST_WORKERS - 1))
    def stop_in_order(self, which):
        for worker in self.workers[which : which + 1]:
            self.stop(worker)

    def stop(self, worker: Worker) -> None:
        worker.release_unasked()
        self.store(worker)
        worker.close()
        self.workers.remove(worker)
        assert not worker.sent
        assert not Judgement.objects.filter(
            holder=worker.leases.holder, state=State.LEASED
        ).exists()

    # --- what always holds ------------------------------------------------------------------------

    @invariant()
    def all_is_well(self):
        rows = list(
            Judgement.objects.values_list(
                "pk", "state", "content_key", "verdict", "attempts", "fence"
            )
        )
        self.states = Counter(state for _, state, *_ in rows)
        self.check_rows(rows)
        self.check_verdicts(
            {pk: (key, verdict) for pk, state, key, verdict, *_ in rows if state == State.JUDGED}
        )
        self.check_ledger(Counter(JudgeCall.objects.values_list("judgement", "outcome")))
        assert money.spend_drift() == []
        assert all(calls_of(pk) == calls for pk, calls in self.calls_when_withdrawn.items())

    def check_rows(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """None is lost, only judged ones have a verdict, and attempts are bounded."""
        planned = JudgeRun.objects.exclude(planned=None).count()
        assert len(rows) == planned * 3 * protocol("spelling").judging.DEFAULT_REPEATS
        assert all(
            (state == State.JUDGED) == (verdict in ("right", "wrong"))
            for _, state, _, verdict, *_ in rows
        )
        assert all(0 <= attempts <= min(fence, MAX_ATTEMPTS) for *_, attempts, fence in rows)

    def check_verdicts(self, found: dict[int, tuple[str, str]]) -> None:
        """What was decided stays, with the case it was decided for."""
        assert self.verdicts.items() <= found.items()
        self.verdicts = found

    def check_ledger(self, ledger: Counter[tuple[int, str]]) -> None:
        """Every billed call has its row, and a case is paid for twice only where an outcome was
        lost."""
        for pk, billed in self.billed.items():
            unknown = ledger[pk, Asked.OPEN] + ledger[pk, Asked.UNKNOWN]
            assert ledger[pk, Asked.ANSWERED] <= billed <= ledger[pk, Asked.ANSWERED] + unknown
        for (pk, _), good in self.good.items():
            assert (
                good <= 1 + ledger[pk, Asked.OPEN] + ledger[pk, Asked.UNKNOWN] + self.discarded[pk]
            )

    # --- and once all faults are over -------------------------------------------------------------

    def finish(self) -> None:
        """Everything standing is judged in the end, and its scoresheet is that of a run without any
        fault."""
        settings.BUDGET_SITE_DAY = 0.0
        for worker in list(self.workers):
            self.stop(worker)
        self.let_leases_run_out(is_noticed=True)
        self.judge_what_is_stale_again()
        for _ in range(2):
            self.sweep()
            self.resume()
            self.wait_until_the_next_try()
            for run in self.planned_runs():
                self.judge_well(run)
        self.sweep()
        self.all_is_well()
        standing = Submission.objects.confirmed().not_withdrawn()
        assert (
            not Judgement.objects.filter(run__submission__in=standing)
            .exclude(state=State.JUDGED)
            .exists()
        )
        for sheet in [Scoresheet.objects.get(submission=submission) for submission in standing]:
            assert figures_of(sheet) == figures_of(self.sheet_without_faults(sheet.submission))

    def judge_well(self, run: JudgeRun) -> None:
        worker = Worker(run)
        worker.take_in(100)
        worker.hand_over(100)
        for call in list(worker.post.handed_in):
            self.answer(worker, call, "verdict")
        self.store(worker)

    def sheet_without_faults(self, submission: Submission) -> Scoresheet:
        spec = ensure_spec(of=protocol("spelling"), kind="openai", endpoint="none", model="twin")
        run = request_run(submission=submission, spec=spec)
        plan_run(run_id=run.pk)
        self.judge_well(run)
        assert not run.judgements.exclude(state=State.JUDGED).exists()
        score_finished_runs()
        return Scoresheet.objects.get(run=run)


def calls_of(submission: UUID) -> int:
    return JudgeCall.objects.filter(judgement__run__submission=submission).count()


def held_as(row: Judgement) -> bool:
    return Judgement.objects.filter(pk=row.pk, fence=row.fence, state=State.LEASED).exists()


def figures_of(sheet: Scoresheet) -> list[object]:
    return [
        sheet.ranking,
        sheet.coverage,
        sheet.judged,
        sheet.failed,
        sheet.figures,
        bytes(sheet.draws),
    ]


@pytest.fixture
def release(db) -> Release:
    """Its baselines are made already: rules judge them, and nothing of what is drawn here touches
    them."""
    found = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(LINES), slug="spelling-1"
    ).release
    set_floor_version(found)
    return found


@pytest.mark.slow
@override_settings(
    DEFAULT_JUDGE="openai:m@none",
    JUDGE_ENDPOINTS={
        "none": {"url": "http://127.0.0.1:9/", "key": "", "prices": {"m": (1.0, 2.0)}}
    },
    JUDGE_RETRY_SECONDS=[3600.0],
)
@pytest.mark.usefixtures("lost_at_once")
def test_nothing_is_lost_judged_twice_or_paid_twice(release, owner, stranger):
    run_state_machine_as_test(
        type("Spelling", (Judging,), {"release": release, "owner": owner, "reviewer": stranger}),
        settings=hypothesis.settings(
            # a second each: five of them in `make test`, 25 in CI
            max_examples=hypothesis.settings.default.max_examples // 4,
            stateful_step_count=25,
            phases=[Phase.reuse, Phase.generate],
        ),
    )
