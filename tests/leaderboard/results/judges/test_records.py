"""What is kept of a judge's replies and requests is what counting them all gives."""

from benchmarks.submissions.models import Submission
from judging.engine.engine import judge_run
from judging.judges.base import JudgeRefusedError, Reply
from judging.models import JudgeCall, Judgement, JudgeRun
from judging.services import retry_failed
from leaderboard.models import JudgeRecord, Scoresheet
from leaderboard.results.judges.records import Calls, Record, count_record, read_record
from leaderboard.results.services import score_run
from tests.conftest import submit
from tests.judging.scripted import ScriptedJudge
from tests.judging.services.test_review import planned


def reply(text: str = "right", model: str = "scribe-1") -> Reply:
    return Reply(text, model=model, prompt_tokens=100, reply_tokens=10)


def judged_by(submission: Submission, *script) -> JudgeRun:
    run = planned(submission)
    judge_run(run_id=run.pk, judge=ScriptedJudge(script or [reply()]))
    return run


def counted(run: JudgeRun) -> Record:
    return count_record(JudgeRun.objects.filter(judge_spec=run.judge_spec))


def kept(run: JudgeRun) -> Record:
    return Record.unpacked(JudgeRecord.objects.get(judge_spec=run.judge_spec).totals)


def test_the_record_of_a_judge_is_that_of_its_scored_runs(submission, spelling, owner):
    """What is not scored yet is counted when somebody looks; scoring again counts a run once."""
    run = judged_by(submission, reply(), reply("nonsense"), reply(model="scribe-2"))
    assert not JudgeRecord.objects.exists()
    assert read_record(run.judge_spec) == counted(run)
    for _ in range(2):
        score_run(run=run)
    assert Record.unpacked(Scoresheet.objects.get(run=run).record) == kept(run) == counted(run)
    other = judged_by(submit(spelling, owner, b"1=two\n2=blue\n3=day\n4=sun\n", name="Other"))
    score_run(run=other)
    read = read_record(run.judge_spec)
    assert kept(run) == counted(run) == read
    assert read.judged == Judgement.objects.filter(state="judged").count()
    assert sum(calls.count for calls in read.calls.values()) == JudgeCall.objects.count()


def test_reading_costs_two_queries_however_many_runs_there_are(
    submission, django_assert_num_queries
):
    run = judged_by(submission)
    score_run(run=run)
    with django_assert_num_queries(2):
        read_record(run.judge_spec)


def test_a_run_that_goes_on_after_its_score_is_counted_as_it_is(submission):
    run = judged_by(submission, JudgeRefusedError("no"))
    score_run(run=run)
    retry_failed(run=run, by=None)
    before = read_record(run.judge_spec)
    judge_run(run_id=run.pk, judge=ScriptedJudge([reply()]))

    assert before.judged == 0
    assert kept(run).judged == 0
    assert read_record(run.judge_spec) == counted(run)
    assert read_record(run.judge_spec).judged == 4


def test_what_nothing_is_left_of_is_no_part_of_the_record(submission):
    assert read_record(planned(submission).judge_spec) == Record()
    one = Record(1, {}, {("answered", "read"): Calls(1, 5, 1, 1, 1)})

    assert one.moved(one, -1) == Record()
    assert Record.unpacked(one.packed()) == one
    assert Record.unpacked(None) == Record()
