"""The bench of growth: it runs, its copies are what services make, and it sees what grows."""

import pytest
from django.db import connection

from bench.growth import bulk
from bench.growth.copies import FILLED
from bench.growth.filling import PROTOCOL, check, fill, fresh, touch_board
from bench.growth.lines import measure, store_ranks
from bench.growth.plans import faults, is_scan, recorded
from bench.growth.release import abilities, make_release
from bench.growth.tables import LIST, WHOLE, Result, Value, faults_of, table
from benchmarks.models import Benchmark
from benchmarks.submissions.models import Submission
from judging.models import Judgement, JudgeRun
from leaderboard.models import BoardVersion, Scoresheet
from leaderboard.results.boards.editions import refresh_boards, stale_boards
from leaderboard.results.selectors import read_board
from leaderboard.results.services import score_run

SIZE, REAL = 3, 1


@pytest.fixture
def site(db, settings):
    settings.ADMINS = [("", "operator@example.org")]
    settings.JUDGE_ENDPOINTS = {
        "bench": {"url": "http://127.0.0.1:9/v1", "key": "", "parameters": {}, "prices": {}}
    }
    return fill(SIZE, real=REAL, is_small=True)


def test_the_release_has_the_shape_of_the_official_file():
    rows = make_release().rows
    assert (len(rows), sum(row.has_image for row in rows)) == (1129, 951)
    # and a larger site begins with the models of a smaller one
    assert abilities(1000)[:10].tolist() == abilities(10).tolist()


@pytest.mark.slow
def test_a_site_of_three_is_measured(site):
    assert not JudgeRun.objects.unscored().exists()
    report = measure(site, 0.0, repeats=1)

    lines = {line.name: line for line in report.lines}
    assert lines["idle sweep"].queries
    assert lines["score a run"].queries
    assert lines["board, compressed"].value
    assert lines["ranks of the whole board"].queries > 10
    assert "idle sweep" in table([Result.read(report.as_json())])


@pytest.mark.slow
def test_copies_are_what_the_services_make(site):
    real, *copies = JudgeRun.objects.filter(judge_spec=site.spec).order_by("pk")

    assert len(copies) == SIZE - REAL
    assert {rows_of(run) for run in copies} == {rows_of(real)}
    reading = read_board(Benchmark.objects.get(slug=PROTOCOL), judge=site.spec.slug)
    assert {entry.rank for entry in reading.entries} == {1, 2, 3}
    stored = Scoresheet.objects.get(run=copies[0]).ranking
    assert score_run(run=fresh(copies[0])).ranking == pytest.approx(stored, abs=0.15)
    with pytest.raises(AssertionError, match="instead of 4"):
        check(SIZE + 1, site.release)
    if connection.vendor == "postgresql":  # SQLite takes no such row
        lose_a_question()
        assert bulk.orphans(FILLED) == ["submissions_answer.question_id"]


def rows_of(run):
    """How much there is of a run, and what it asks."""
    asked = run.judgements.values_list("answer__question", "slot", "texts")
    return run.submission.answers.count(), run.submission.bands.count(), frozenset(asked)


def lose_a_question():
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(
            "UPDATE submissions_answer SET question_id = -1"
            " WHERE id = (SELECT min(id) FROM submissions_answer)"
        )
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


@pytest.mark.django_db
def test_a_query_that_reads_all_judgements_is_a_fault():
    if connection.vendor == "postgresql":  # which reads all of a table it knows to be empty
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
            cursor.execute("SET LOCAL enable_seqscan = off")
    with recorded() as queries:
        list(Judgement.objects.filter(latency_ms__gt=1_000_000))
        list(Submission.objects.all())
        list(Judgement.objects.filter(pk=1))

    (fault,) = faults(queries)
    assert "reads all of judging_judgement" in fault


@pytest.mark.parametrize("name", ["submissions_answer", "judging_judgecall"])
def test_a_table_is_told_from_one_whose_name_begins_alike(name, db):
    scan = {"sqlite": "SCAN", "postgresql": "->  Seq Scan on"}[connection.vendor]

    assert is_scan(f"{scan} {name}", name)
    assert is_scan(f"{scan} {name} u0", name)
    assert not is_scan(f"{scan} {name}band", name)


@pytest.mark.slow
def test_ranks_are_those_of_a_board_that_has_changed(site):
    Submission.objects.update(visibility="private")
    BoardVersion.objects.update(next_at=None)
    refresh_boards()
    touch_board(site.spec)

    with pytest.raises(AssertionError, match="no board has changed"):
        store_ranks()


@pytest.mark.slow
def test_a_board_is_touched_by_what_it_shows(site):
    """Whichever scoresheet the database comes upon first."""
    first, *_, last = Scoresheet.objects.filter(judge_spec=site.spec).order_by("pk")
    for sheet in (first, last):
        Submission.objects.update(visibility="public")
        Submission.objects.filter(pk=sheet.submission_id).update(visibility="private")
        Scoresheet.objects.filter(pk=first.pk).update(computed=first.computed)
        touch_board(site.spec)
        store_ranks()
        assert stale_boards() == []
        touch_board(site.spec)
        assert stale_boards() == [PROTOCOL]


def result(size, value, kind="", faults=None) -> Result:
    lines = {"a trivial view": Value(0.5, "ms", 0), "board": Value(value, "ms", 3, kind)}
    return Result("sqlite", size, lines, faults or {}, {}, 1.0)


def test_the_table_tells_what_grows():
    assert "GROWS" not in table([result(10, 1.0), result(100, 1.2)])
    grown = table([result(10, 1.0), result(100, 1.21)])
    assert grown.splitlines()[2].endswith("1.21        3              2  GROWS")
    assert "not there" in table([result(10, None), result(100, None)])
    # a list from its first full page on, and a whole board as sorting does
    lists = [result(10, 1.0, kind=LIST), result(100, 9.0, kind=LIST)]
    assert "GROWS, a list, from 100 on" in table([*lists, result(1000, 12.0, kind=LIST)])
    assert "flat, a list, from 100 on" in table([*lists, result(1000, 10.0, kind=LIST)])
    whole = [result(10, 1.0, kind=WHOLE), result(100, 20.0, kind=WHOLE)]
    assert "at most n log n" in table(whole)
    assert "GROWS FASTER" in table([*whole, result(1000, 400.0, kind=WHOLE)])


def test_a_fault_is_told_once_and_that_there_is_none_in_sweeps():
    faults = {"home": ["all read"], "idle sweep": ["all read"]}
    assert faults_of([result(10, 1.0, faults=faults), result(100, 1.0, faults=faults)]) == (
        "FAULT: idle sweep: all read\nFAULT: home: all read"
    )
    assert faults_of([result(10, 1.0, faults={"home": ["all read"]})]).startswith("No query of")
