"""What the owner of a model says of it, and who may."""

import pytest
from django.db import DatabaseError, transaction

from benchmarks.submissions.marks.flags import decide_verification
from benchmarks.submissions.models import EvaluatedModel, FactChange
from benchmarks.submissions.services import ModelFacts, change_facts
from leaderboard.selectors import read_board
from tests.conftest import judged, submit
from tests.leaderboard.pages.shown_text import shown

FACTS = {
    "organisation": "Lab of Words",
    "link": "https://example.org/paper",
    "parameters_billions": "9.6",
    "is_open_weights": "on",
    "licence": "Apache-2.0",
    "training_data": "Words 1-9,\nnone of this benchmark.",
    "notes": "Third of its kind.",
}


@pytest.fixture
def model(submission) -> EvaluatedModel:
    judged(submission)
    model: EvaluatedModel = submission.model
    return model


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


def sent(client, **changes: str):
    return client.post("/models/speller/edit/", {**FACTS, **changes})


def test_what_its_owner_says_stands_on_the_page_and_on_boards(signed_in, model):
    assert sent(signed_in).status_code == 302
    text = shown(signed_in, "/models/speller/")
    for said in (
        "Lab of Words",
        "https://example.org/paper",
        "9.6 billion parameters",
        "Weights open",
        "Licence Apache-2.0",
        "Words 1-9, none of this benchmark.",
        "Third of its kind.",
        "Last changed on",
    ):
        assert said in text
    (entry,) = read_board(model.submissions.get().release.benchmark).entries
    assert (entry.organisation, entry.is_open_weights) == ("Lab of Words", True)


def test_saving_the_same_again_is_no_change(signed_in, model):
    sent(signed_in)
    first = EvaluatedModel.objects.get().facts_changed
    sent(signed_in)
    assert EvaluatedModel.objects.get().facts_changed == first


def test_the_name_and_the_slug_stay(signed_in, model):
    sent(signed_in, name="Other", slug="other")
    changed = EvaluatedModel.objects.get()
    assert (changed.name, changed.slug) == ("Speller", "speller")


def test_nobody_may_of_a_model_that_has_no_owner(signed_in, spelling):
    submit(spelling, None, name="Ours")
    assert signed_in.get("/models/ours/edit/").status_code == 404


@pytest.mark.parametrize(
    ("field", "text"),
    [
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
    ],
)
def test_what_nobody_may_say_is_refused_with_what_was_typed(signed_in, model, field, text):
    answer = sent(signed_in, **{field: text})
    assert answer.status_code == 422
    assert "Lab of Words" in answer.content.decode() or field == "organisation"
    assert EvaluatedModel.objects.get().facts_changed is None


def test_the_organisation_of_a_verified_entry_stays(signed_in, model, owner):
    change_facts(model=model, facts=ModelFacts(organisation="Seen Lab"))
    decide_verification(
        submission=model.submissions.get(), is_verified=True, reason="They wrote to us.", by=owner
    )
    assert "Write to them to have it changed" in shown(signed_in, "/models/speller/edit/")
    sent(signed_in)
    changed = EvaluatedModel.objects.get()
    assert (changed.organisation, changed.licence) == ("Seen Lab", "Apache-2.0")


def test_it_leads_to_the_form_for_its_owner_alone(client, model, owner):
    assert b"/models/speller/edit/" not in client.get("/models/speller/").content
    client.force_login(owner)
    assert b"/models/speller/edit/" in client.get("/models/speller/").content


def test_entries_lead_to_their_model(client, model):
    entry = client.get(f"/entries/{model.submissions.get().pk}/")
    assert b'href="/models/speller/"' in entry.content


# --- its history ----------------------------------------------------------------------------------


def history() -> list[tuple[str, str, str, str]]:
    rows = FactChange.objects.order_by("pk")
    return list(rows.values_list("field", "before", "after", "reason"))


def test_each_thing_that_changes_has_a_line_that_everybody_reads(client, signed_in, model):
    sent(signed_in)
    assert {field for field, *_ in history()} == set(FACTS)
    sent(signed_in, parameters_billions="10", is_open_weights="", reason="We counted again.")
    assert history()[len(FACTS) :] == [
        ("parameters_billions", "9.6", "10", "We counted again."),
        ("is_open_weights", "yes", "no", "We counted again."),
    ]
    client.logout()
    text = shown(client, "/models/speller/")
    assert "number of parameters 9.6 10 its owner We counted again." in text
    assert "organisation not declared Lab of Words its owner no reason given" in text


def test_nothing_changed_is_no_line(signed_in, model):
    sent(signed_in)
    before = history()
    sent(signed_in, reason="Nothing.")
    assert history() == before


def test_staff_put_right_what_an_owner_says_and_are_named_as_staff(
    client, signed_in, model, admin_user
):
    sent(signed_in)
    client.force_login(admin_user)
    sent(client, organisation="", reason="They wrote that it is not theirs.")
    assert EvaluatedModel.objects.get().organisation == ""
    assert "Lab of Words not declared staff of this site They wrote that" in shown(
        client, "/models/speller/"
    )


@pytest.mark.parametrize(
    "change",
    [lambda rows: rows.update(after="Another lab"), lambda rows: rows.delete()],
    ids=["update", "delete"],
)
def test_a_line_is_never_changed(signed_in, model, change):
    sent(signed_in)
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        change(FactChange.objects.all())


def test_the_page_shows_the_newest_and_counts_the_others(signed_in, model):
    for number in range(25):
        change_facts(model=model, facts=ModelFacts(notes=f"Note {number} {'x' * 900}"))
    page = signed_in.get("/models/speller/").content.decode()
    assert "5 older changes are kept and not shown" in page
    assert len(page) < 60_000
