"""What annotators and reviewers did in a month or a year: every figure against a table made by
hand."""

import csv
import io
import sys
import time
from dataclasses import astuple
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from benchmarks.models import Description, Figure
from judging.desk.work_done import (
    Period,
    median_hours,
    versions_decided,
    versions_written,
    work_done,
)
from tests.judging.room import WORKLIST, page_of, says

State = Description.State
PAGE, FILE = f"{WORKLIST}work-done/", f"{WORKLIST}work-done.csv"
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
MARCH, FEBRUARY = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture
def write(people, release):
    """A version as its steps would have left it; `at` is when it was written, hours later it was
    submitted or decided."""

    def write(
        key: str,
        state: str,
        at: datetime,
        *,
        author: str | None = "annotator",
        submitted: float | None = 0,
        decided: float | None = None,
        by: str = "reviewer",
        **fields: object,
    ) -> Description:
        figure = Figure.objects.get(key=key)
        version = Description.objects.filter(figure=figure).count() + 1
        when = None if submitted is None else at + timedelta(hours=submitted)
        end = when + timedelta(hours=decided) if decided is not None and when else None
        found = Description.objects.create(
            figure=figure,
            version=version,
            text=f"{key} {version}",
            state=state,
            author=people[author] if author else None,
            submitted_by=people[author] if author and when else None,
            submitted_at=when,
            reviewed_by=people[by] if end else None,
            reviewed_at=end,
            review_comment="Which?" if state == State.SENT_BACK else "",
            **fields,
        )
        Description.objects.filter(pk=found.pk).update(created=at)
        return found

    return write


def day(number: int, month: int = 3) -> datetime:
    return datetime(2026, month, number, 9, tzinfo=UTC)


@pytest.fixture
def month(write) -> None:
    """one.png: sent back twice, approved later, and at first after that approval. dark.png: of
    another month, and nobody's, and in work."""
    write("one.png", State.SENT_BACK, day(2), decided=1, words=5)
    write("one.png", State.SENT_BACK, day(3), decided=3, words=6)
    write("one.png", State.SUPERSEDED, day(4), words=7)
    write("one.png", State.SUPERSEDED, day(4), submitted=None, words=7)  # a draft that was closed
    write("one.png", State.APPROVED, day(5), decided=10, words=40, by="other_reviewer")
    source = write("one.png", State.APPROVED, day(6), decided=4, words=1129)
    write("dark.png", State.APPROVED, day(27, 2), submitted=4 * 24, decided=2)  # in March
    write("dark.png", State.DRAFT, day(8), submitted=None, words=3)
    write("dark.png", State.IN_REVIEW, day(9), author="other_reviewer", words=3)
    write("dark.png", State.IN_REVIEW, day(9), author=None, words=3)
    write("dark.png", State.APPROVED, day(6), decided=0, words=1129, copied_from=source)


def read(**query: str):
    found = QueryDict(mutable=True)
    found.update(query)
    return work_done(query=found, now=NOW)


def rows(found) -> list[tuple[object, ...]]:
    return [astuple(row) for row in found]


def test_a_month_is_counted_by_person_where_it_was_written_and_where_it_was_decided(month):
    page, before, year = read(), read(month="2", year="2026"), read(year="2026", month="0")
    assert page.period == Period(2026, 3)
    # submitted, at first, later, sent back, superseded, waiting, words, uncounted; of 1, 3, 4, 10 h
    assert rows(page.written) == [
        (MARCH, "annotator", 5, 1, 1, 2, 1, 0, 1169, 0, 3.5),
        (MARCH, "other_reviewer", 1, 0, 0, 0, 0, 1, 0, 0, None),
    ]
    assert rows(page.decided) == [
        (MARCH, "other_reviewer", 1, 1, 0, 10.0),
        (MARCH, "reviewer", 4, 2, 2, 2.5),  # 1, 2, 3 and 4 hours
    ]
    assert rows(before.written) == [(FEBRUARY, "annotator", 1, 1, 0, 0, 0, 0, 0, 1, 2.0)]
    assert before.decided == ()
    assert before.has_uncounted
    # of a year each month has rows of its own
    assert rows(year.written) == [*rows(page.written), *rows(before.written)]
    assert rows(year.decided) == rows(page.decided)
    told = "No version was written in such a year: this is 2026."
    notes = {("year", "2031"): told, ("year", "٢٠٢٦"): told, ("year", "9" * 5000): told}
    notes |= {
        ("month", one): "There is no such month: this is March." for one in ("13", "-1", "\0")
    }
    for (name, value), note in notes.items():
        found = read(**{name: value})
        assert (found.notes, found.period) == ((note,), Period(2026, 3))


@pytest.mark.parametrize(
    ("key", "author"), [("one.png", "other_reviewer"), ("dark.png", "annotator")]
)
def test_what_was_sent_back_of_somebody_or_something_else_makes_no_approval_a_later_one(
    write, key, author
):
    write(key, State.SENT_BACK, day(2), decided=1, author=author)
    write("one.png", State.APPROVED, day(3), decided=1)
    (found,) = [row for row in read().written if row.person == "annotator"]
    assert (found.first_time, found.later) == (1, 0)


def test_older_versions_count_although_nobody_noted_when_they_were_submitted(write):
    old = write("one.png", State.APPROVED, day(2), submitted=None)
    reviewer = write("dark.png", State.APPROVED, day(3), decided=1).reviewed_by
    Description.objects.filter(pk=old.pk).update(reviewed_by=reviewer, reviewed_at=day(4))
    (row,) = read().written
    assert (row.submitted, row.first_time, row.uncounted, row.hours) == (2, 2, 2, 1.0)
    assert [(one.decided, one.hours) for one in read().decided] == [(2, 1.0)]


@pytest.mark.parametrize(("hours", "median"), [([7], 7), ([9, 1, 2], 2), ([4, 1, 3, 2], 2.5)])
def test_the_median_is_that_of_the_middle(write, people, hours, median):
    for waited in hours:
        write("one.png", State.SENT_BACK, day(2), decided=waited)
    found = median_hours(versions_decided(Period(2026, 3)), "reviewed_by")
    assert found == {(MARCH, people["reviewer"].pk): pytest.approx(median)}


def test_the_ends_of_a_month_are_in_one_month_each(write):
    last = datetime(2026, 2, 28, 23, 59, 59, 999999, tzinfo=UTC)
    write("one.png", State.IN_REVIEW, last)
    write("one.png", State.IN_REVIEW, MARCH)
    assert [row.submitted for row in read().written] == [1]
    assert [row.submitted for row in read(month="2").written] == [1]
    assert Period(2026, 12).end == Period(2027, 1).start == Period(2026, 0).end


# --- the pages ------------------------------------------------------------------------------------


def test_the_page_and_the_file_are_for_whoever_reviews_or_assigns(month, visit, people):
    people["annotator"].username = "=ann"
    people["annotator"].save()
    client, writer, query = visit("reviewer"), visit("annotator"), {"year": "2026", "month": "3"}
    shown = page_of(client.get(PAGE, query))
    says(
        shown,
        "Written, March 2026",
        '<td class="queue-number">1,169</td>',
        '<td class="queue-number">3.5</td>',
    )
    older = page_of(client.get(PAGE, {"year": "2026", "month": "2"}))
    assert ">1 version not counted<" in older
    assert "Nothing was decided." in older
    response = client.get(FILE, query)
    assert response["Content-Disposition"] == 'attachment; filename="work-done-2026-03.csv"'
    lines = list(csv.reader(io.StringIO(page_of(response))))
    assert lines[1] == [
        *("2026-03", "'=ann", "author", "5", "1", "1", "2", "1", "0", "1169", "0"),
        *("", "", "", "3.50"),
    ]
    assert lines[-1] == ["2026-03", "reviewer", "reviewer", *[""] * 8, "4", "2", "2", "2.50"]
    assert {len(line) for line in lines} == {15}
    link = "Work done, by person"
    assert [link in page_of(one.get(WORKLIST)) for one in (client, writer)] == [True, False]
    assert [writer.get(address).status_code for address in (PAGE, FILE)] == [403, 403]


# --- 10,000 versions ------------------------------------------------------------------------------

MANY, SPAN_DAYS = 10_000, 5 * 365


@pytest.mark.slow
def test_a_page_of_10000_versions_takes_as_many_queries_as_one_of_few(visit, people, load_spelling):
    load_spelling(
        lines="".join(f"{n}|word{n}|word{n}|figure{n}.png\n" for n in range(MANY // 4)).encode(),
        slug="spelling-many",
    )
    states = (State.APPROVED, State.SENT_BACK, State.APPROVED, State.IN_REVIEW)
    figures = list(Figure.objects.order_by("pk")[: MANY // 4])
    first = datetime(2022, 1, 1, tzinfo=UTC)
    made = [
        Description(
            figure=figures[n // 4],
            version=n % 4 + 1,
            text="A cat on a mat. " * 60,
            words=300,
            state=states[n % 4],
            author=people["annotator"],
            submitted_at=first + timedelta(days=n * SPAN_DAYS / MANY),
            reviewed_by=None if n % 4 == 3 else people["reviewer"],
            reviewed_at=None
            if n % 4 == 3
            else first + timedelta(days=n * SPAN_DAYS / MANY, hours=n % 7),
            review_comment="Which cat?",
        )
        for n in range(MANY)
    ]
    Description.objects.bulk_create(made, batch_size=500)
    for version in made:
        assert version.submitted_at
        version.created = version.submitted_at
    Description.objects.bulk_update(made, ["created"], batch_size=500)
    client = visit("reviewer")
    for query in ({"year": "2024", "month": "5"}, {"year": "2024", "month": "0"}):
        client.get(PAGE, query)
        with CaptureQueriesContext(connection) as queries:
            begun = time.process_time()
            response = client.get(PAGE, query)
            taken = time.process_time() - begun
        shown = page_of(response)
        sys.stderr.write(f"\n{query}: {1000 * taken:.0f} ms, {len(queries)} queries\n")
        assert shown.count('<th scope="row">annotator') == (1 if query["month"] != "0" else 12)
        assert len(queries) <= 14
    if connection.vendor == "sqlite":  # PostgreSQL reads so small a table whole
        assert "description_created" in versions_written(Period(2024, 5)).explain()
        assert "description_reviewed" in versions_decided(Period(2024, 5)).explain()
