"""What the owner of a model says of it, and who may."""

import csv
import io

import pytest
from django.db import DatabaseError, transaction

from benchmarks.submissions.marks.flags import decide_verification
from benchmarks.submissions.models import EvaluatedModel, FactChange
from benchmarks.submissions.services import change_facts
from leaderboard.results.selectors import read_board
from tests.api_clients import session_client
from tests.conftest import import_spelling, judged, make_owner, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, shown, told

PAGE = "/models/speller/"
FACTS = {
    "organisation": "Lab of Words",
    "link": "https://example.org/paper",
    "parameters_billions": "9.6",
    "is_open_weights": "on",
    "licence": "Apache-2.0",
    "training_data": "Words 1-9,\nnone of <this> benchmark.",
    "notes": "Third of its kind.",
}


@pytest.fixture(scope="module")
def made(module_rows) -> None:
    judged(submit(import_spelling(), make_owner()))


@pytest.fixture
def model(made, db) -> EvaluatedModel:
    return EvaluatedModel.objects.get()


@pytest.fixture
def signed_in(model, owner):
    return session_client(owner)


def sent(client, **changes: str):
    return client.post(f"{PAGE}edit/", {**FACTS, **changes})


def history() -> list[tuple[str, str, str, str]]:
    rows = FactChange.objects.order_by("pk")
    return list(rows.values_list("field", "before", "after", "reason"))


def test_what_its_owner_says_stands_on_the_page_and_on_boards_and_its_name_stays(
    client, signed_in, model
):
    assert sent(signed_in, name="Other", slug="other").status_code == 302
    page = page_at(client, PAGE)
    assert told(part(page, "facts")) == {
        "Organisation": "Lab of Words",
        "Link": "https://example.org/paper",
        "Parameters (billions)": "9.6",
        "Open weights": "yes",
        "Licence": "Apache-2.0",
        "Training data": "Words 1-9, none of <this> benchmark.",
        "Notes": "Third of its kind.",
    }
    entry = part(page_at(client, f"/entries/{model.submissions.get().pk}/"), "about")
    assert told(part(page, "facts")).items() <= told(entry).items()
    assert links(part(page, "facts"))[FACTS["link"]] == FACTS["link"]
    (entry,) = read_board(model.submissions.get().release.benchmark).entries
    assert entry.facts == ("Lab of Words", True, 9.6)
    board = "/boards/spelling/"
    assert "Lab of Words · 9.6B · open" in shown(client, board)
    lines = csv.DictReader(io.StringIO(b"".join(client.get(f"{board}export.csv")).decode()))
    (line,) = [line for line in lines if line["model"] == "Speller"]
    assert (line["open weights"], line["parameters (billions)"]) == ("yes", "9.6")
    told_by = ("boards/spelling", f"entries/{model.submissions.get().pk}", "models/speller")
    document, *others = (client.get(f"/api/v1/{name}/").json() for name in told_by)
    sizes = [found["parameters_billions"] for found in (*document["entries"], *others)]
    assert sizes == ["9.60"] * 3
    changed = EvaluatedModel.objects.get()
    assert (changed.name, changed.slug) == ("Speller", "speller")


def test_the_form_is_there_for_the_owner_alone_and_nobody_may_of_a_model_without_one(
    client, signed_in, model
):
    assert f"{PAGE}edit/" in page_at(signed_in, PAGE).xpath("//a/@href")
    found = page_at(client, PAGE).xpath("//a/@href")
    assert f"{PAGE}edit/" not in found
    entry = model.submissions.get()
    assert PAGE in page_at(client, f"/entries/{entry.pk}/").xpath("//a/@href")
    submit(entry.release, None, name="Ours")
    assert signed_in.get("/models/ours/edit/").status_code == 404


def test_what_nobody_may_say_is_refused_with_what_was_typed(signed_in):
    for field, text in (
        ("organisation", "o" * 101),
        ("organisation", "Lab\u202eevil"),
        ("organisation", "=1+1"),
        ("link", "javascript:alert(1)"),
        ("parameters_billions", "-1"),
        ("parameters_billions", "1e99"),
        ("licence", "l" * 101),
        ("training_data", "t" * 2001),
        ("training_data", "data\u202edata"),
        ("notes", "a\u0000b"),
    ):
        answer = sent(signed_in, **{field: text})
        assert answer.status_code == 422, (field, text[:9])
        assert "Lab of Words" in answer.text or field == "organisation"
    assert EvaluatedModel.objects.get().facts_changed is None


def test_the_organisation_of_a_verified_entry_stays(signed_in, model, owner):
    change_facts(model=model, facts={"organisation": "Seen Lab"})
    decide_verification(
        submission=model.submissions.get(), is_verified=True, reason="They wrote to us.", by=owner
    )
    assert "Contact them to change it" in shown(signed_in, f"{PAGE}edit/")
    sent(signed_in)
    changed = EvaluatedModel.objects.get()
    assert (changed.organisation, changed.licence) == ("Seen Lab", "Apache-2.0")


# --- its history ----------------------------------------------------------------------------------


def test_each_thing_that_changes_has_a_line_that_everybody_reads(client, signed_in, admin_user):
    sent(signed_in)
    first, changed = history(), EvaluatedModel.objects.get().facts_changed
    assert {field for field, *_ in first} == set(FACTS)
    sent(signed_in, reason="Nothing.")
    assert (history(), EvaluatedModel.objects.get().facts_changed) == (first, changed)
    sent(signed_in, parameters_billions="10", is_open_weights="", reason="We counted <again>.")
    assert history()[len(first) :] == [
        ("parameters_billions", "9.6", "10", "We counted <again>."),
        ("is_open_weights", "yes", "no", "We counted <again>."),
    ]
    theirs = {"parameters_billions": "10", "is_open_weights": "", "organisation": ""}
    sent(session_client(admin_user), **theirs, reason="They wrote that it is not theirs.")
    assert EvaluatedModel.objects.get().organisation == ""
    rows = FactChange.objects.order_by("-pk").values_list("before", "after", "reason")
    marks = {"": "not declared"}
    read = [row[2:] for row in cells(part(page_at(client, PAGE), "facts"))]
    staff, mine = "staff of this site", "its owner"
    assert read == [
        [
            marks.get(before, before),
            " ".join(marks.get(after, after).split()),
            f"{mine if place else staff} {reason or 'no reason given'}",
        ]
        for place, (before, after, reason) in enumerate(rows)
    ]


def test_a_line_is_never_changed(signed_in):
    sent(signed_in)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        FactChange.objects.all().update(after="Another lab")
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        FactChange.objects.all().delete()


def test_the_page_shows_the_newest_and_counts_the_others(signed_in, model):
    for number in range(25):
        change_facts(model=model, facts={"notes": f"Note {number} {'x' * 900}"})
    page = signed_in.get(PAGE).text
    assert "5 older changes are not shown" in page
    assert len(page) < 60_000
