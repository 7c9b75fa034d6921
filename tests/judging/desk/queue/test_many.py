"""The queue without a figure, and at 10,000: as many queries as with few. `pytest -s` says what a
page takes."""

import sys
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Description, Figure
from tests.finished_work import analyze
from tests.judging.room import WORKLIST, page_of

State = Description.State
FIGURES = 10_000
IN_STATE = {State.APPROVED: 5_000, State.DRAFT: 1_000, State.IN_REVIEW: 2_000, State.SENT_BACK: 500}
VERSIONS = 3  # of each figure that has any
LOOKS = 5


@pytest.fixture
def many(load_spelling, people):
    lines = "".join(f"{n}|word{n}|word{n}|figure{n}.png\n" for n in range(FIGURES))
    load_spelling(lines=lines.encode(), slug="spelling-many")
    states = [state for state, count in IN_STATE.items() for _ in range(count)]
    figures = Figure.objects.order_by("pk")[: len(states)]
    for number in range(1, VERSIONS + 1):
        is_last = number == VERSIONS
        Description.objects.bulk_create(
            (
                Description(
                    figure=figure,
                    version=number,
                    text="A cat on a mat. " * 60,
                    state=state if is_last else State.DRAFT,
                    author=people["annotator"],
                    review_comment="Which cat?" if state == State.SENT_BACK else "",
                )
                for figure, state in zip(figures, states, strict=True)
            ),
            batch_size=500,
        )
    analyze()


@pytest.mark.slow
def test_a_page_of_10000_figures_takes_as_many_queries_as_one_of_few(many, visit):
    for name in ("annotator", "reviewer"):
        client = visit(name)
        for address in ("/admin/", WORKLIST, f"{WORKLIST}?q=777&state="):
            begun = time.process_time()
            assert client.get(address).status_code == 200
            cold = time.process_time() - begun
            taken = []
            for _ in range(LOOKS):
                with CaptureQueriesContext(connection) as queries:
                    begun = time.process_time()
                    client.get(address)
                    taken.append(time.process_time() - begun)
            sys.stderr.write(
                f"\n{name} {address}: {1000 * min(taken):.0f} ms of a processor at best,"
                f" {1000 * cold:.0f} the first time, {len(queries)} queries\n"
            )
            assert len(queries) <= 22


def test_an_empty_room_says_what_to_do(visit):
    said = "No open release has figures whose descriptions a judge reads."
    assert said in page_of(visit("annotator").get(WORKLIST))
