"""Row 14: what a worker holds, and what is stale, does not depend on its clock."""

import ast
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from judging.models import Judgement
from judging.panel.services import import_ratings
from judging.services.review import exclude_judgement
from leaderboard.models import Scoresheet
from leaderboard.operations.sweeps import sweep_here
from tests.conftest import submit
from tests.judging.panel.files import ratings
from tests.overwriting import overwrite
from tests.site import PROJECT

NOW = timedelta(0)
DAY = timedelta(days=1)
CLOCKS = {
    "timezone.now",
    "timezone.localtime",
    "datetime.now",
    "datetime.utcnow",
    "date.today",
    "time.time",
}
BY_DATABASE_TIME = [
    *Path(PROJECT, "judging").rglob("*.py"),
    *Path(PROJECT, "leaderboard").glob("*.py"),
    *Path(PROJECT, "leaderboard", "results").rglob("*.py"),
]
MAY_READ_ITS_CLOCK = {
    "judging/judges/endpoint.py"
}  # where an endpoint names a date and does not say its own time


@pytest.fixture(params=[-DAY, DAY], ids=["a day behind", "a day ahead"])
def wrong_clock(request, monkeypatch):
    right = timezone.now
    monkeypatch.setattr(timezone, "now", lambda: right() + request.param)


@pytest.mark.slow
def test_a_worker_whose_clock_is_wrong_judges_and_scores_as_any_other(
    submission, spelling, owner, wrong_clock
):
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().judged == 4
    import_ratings(upload=ratings(submission, "1,ann,neatness,5"), by=None)
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().figures["neatness"][0] == 5
    overwrite(
        Judgement.objects.filter(answer__question__public_id="1"),
        state=Judgement.State.UNREADABLE,
        verdict="",
    )
    exclude_judgement(
        judgement=Judgement.objects.get(state="unreadable"), by=None, reason="no such word"
    )
    sweep_here(grace=NOW)
    assert Scoresheet.objects.get().judged == 3
    submit(spelling, owner, name="Second")
    sweep_here(grace=NOW)
    sweep_here(grace=NOW)
    before = list(Scoresheet.objects.values())
    sweep_here(grace=NOW)
    assert list(Scoresheet.objects.values()) == before
    assert len(before) == 2


def clocks_read(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in CLOCKS:
            yield f"line {node.lineno}: {ast.unparse(node)}"


def test_what_workers_compare_reads_no_clock_but_the_databases():
    found = {
        str(module.relative_to(PROJECT)): list(clocks_read(module)) for module in BY_DATABASE_TIME
    }
    assert len(found) > 100
    assert {name for name, clocks in found.items() if clocks} == MAY_READ_ITS_CLOCK
