"""The form of a description: who else has it open, what changed, and what is hidden in a text."""

import io
import json
import re
from datetime import timedelta

from django.contrib.auth.models import User
from django.utils import timezone

from benchmarks.models import Claim, Description, Figure, UnsavedText
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from tests.judging.room import page_of, place, save, says

TYPED = "A red cat."
HIDDEN = "A red\u00a0cat.\nIt sits\u200b."


def form_with(client, figure, text: str, button: str, base: int = 0):
    return client.post(place(figure), {"text": text, "base_version": base, button: "x"})


def text_in(response) -> str:
    found = re.search(r'<textarea name="text"[^>]*>\s*(.*?)</textarea>', page_of(response), re.S)
    assert found
    return found[1]


# --- who else has it open


def test_whoever_opens_the_form_is_named_to_the_others_and_not_to_themselves(visit, figure):
    visit("annotator").get(place(figure))
    since = Claim.objects.get().since
    said = f"annotator has it open, since {since:%H:%M} UTC."
    assert said in page_of(visit("reviewer").get(place(figure)))
    assert page_of(visit("reviewer").get(f"{place(figure)}presence/")) == said
    mine = page_of(visit("annotator").get(f"{place(figure)}presence/"))
    assert mine.startswith("reviewer has it open, since ")
    assert "annotator" not in mine


def test_presence_ends_by_itself_and_lasts_while_one_types(visit, figure):
    visit("annotator").get(place(figure))
    Claim.objects.update(until=timezone.now() - timedelta(seconds=1))
    other = visit("reviewer")
    assert page_of(other.get(f"{place(figure)}presence/")) == ""
    typed = {"text": TYPED, "base_version": 0}
    visit("annotator").post(f"{place(figure)}typed/", typed)
    assert "annotator is at work on it" in page_of(other.get(f"{place(figure)}presence/"))


def test_presence_ends_with_what_was_submitted_and_locks_nobody_out(visit, figure):
    visit("moderator").get(place(figure))
    assert not Claim.objects.exists()  # who only looks is no presence
    client = visit("annotator")
    client.get(place(figure))
    assert "Version 1 is saved" in page_of(save(visit("reviewer"), figure, TYPED))
    save(client, figure, "A blue cat.", base=1, button="submit")
    assert not Claim.objects.filter(user__username="annotator").exists()


# --- what is hidden


def test_a_text_with_hidden_characters_is_refused_whole_until_they_are_put_right(visit, figure):
    client = visit("annotator")
    for button in ("save", "submit"):
        response = form_with(client, figure, HIDDEN, button)
        page = page_of(response)
        assert response.status_code == 422
        assert "The text has 2 characters that nobody sees and a judge reads" in page
        place_of_first = "Line 1, character 6, no-break space (U+00A0)"
        says(
            page,
            f"{place_of_first}: “A red<mark>U+00A0</mark>cat.”",
            "Line 2, character 8, zero width space (U+200B)",
        )
        assert text_in(response) == HIDDEN
    response = form_with(client, figure, HIDDEN, "clean")
    assert response.status_code == 200
    assert text_in(response) == "A red cat.\nIt sits."
    assert not Description.objects.exists()
    assert UnsavedText.objects.get().fields["text"] == "A red cat.\nIt sits."
    save(client, figure, text_in(response))
    assert Description.objects.get().text == "A red cat.\nIt sits."


def test_hidden_characters_of_an_older_text_are_marked_where_it_is_shown(visit, figure):
    Description.objects.create(figure=figure, version=1, text=HIDDEN, state="approved")
    save(visit("annotator"), figure, TYPED, base=1)
    page = page_of(visit("moderator").get(place(figure)))
    assert '<mark class="hidden-character">no-break space (U+00A0)</mark>' in page


# --- what changed


def versions(figure) -> None:
    made = {"figure": figure, "language": "en"}
    Description.objects.create(version=1, text="A cat.", state="approved", **made)
    Description.objects.create(
        version=2, text="A blue cat.", state="sent back", review_comment="Blue?", **made
    )
    Description.objects.create(version=3, text=TYPED, **made)


def changes_on(page: str) -> list[str]:
    found = re.findall(r"<details name=\"changes\".*?</details>", page, re.S)
    return [re.sub(r"\s+", " ", one) for one in found]


def test_changes_are_shown_since_the_approved_text_and_since_the_one_sent_back(visit, figure):
    versions(figure)
    approved, sent_back = changes_on(page_of(visit("annotator").get(place(figure))))
    assert "Since version 1, approved" in approved
    assert "A <ins>red </ins>cat." in approved
    assert "Since version 2, sent back" in sent_back
    assert "<del>blue</del><ins>red</ins>" in sent_back


def test_what_is_typed_is_compared_before_it_is_saved_and_with_the_version_asked_for(visit, figure):
    versions(figure)
    client = visit("annotator")
    (only,) = changes_on(page_of(client.get(f"{place(figure)}?version=3&against=2")))
    assert "Since version 2" in only
    response = form_with(client, figure, "A green cat.", "compare", base=3)
    assert response.status_code == 200
    assert "A <ins>green </ins>cat." in changes_on(page_of(response))[0]
    assert text_in(response) == "A green cat."
    assert Description.objects.count() == 3
    assert UnsavedText.objects.get().fields["text"] == "A green cat."


def test_a_text_without_older_ones_is_compared_with_the_saved_draft(visit, figure):
    save(visit("annotator"), figure, TYPED)
    response = form_with(visit("annotator"), figure, "A green cat.", "compare", base=1)
    assert "<del>red</del><ins>green</ins>" in changes_on(page_of(response))[0]


# --- the pictures and the words


def test_pictures_come_in_their_order_with_their_names(visit):
    row = {
        "index": "7",
        "image": ["z.png", "a.png", "m.png"],
        "question": "What do the three have in common?",
        "human_annotation": "Three kettles.",
        "gpt4_ha_answer": "They are kettles.",
        "category": "Multi-Image Analysis Ability",
        "task_name": "comparing two/multiple images",
    }
    stream = io.BytesIO(json.dumps([row]).encode())
    import_release(protocol=protocol("touchstone"), stream=stream, slug="several", language="en")
    figure = Figure.objects.get(benchmark__slug="touchstone")
    page = page_of(visit("annotator").get(place(figure)))
    assert "3 pictures" in page
    assert page.index("z.png: the") < page.index("a.png: the") < page.index("m.png: the")


def test_the_text_says_its_language_and_its_room(visit, figure):
    client = visit("annotator")
    page = page_of(client.get(place(figure)))
    assert re.search(r'<textarea name="text"[^>]* lang="en"', page)
    says(page, 'spellcheck="true"', "0 words, at most 20,000 characters", 'class="pictures"')
    data = {"text": TYPED, "base_version": "x" * 400, "compare": "x"}
    response = client.post(place(figure), data)
    assert response.status_code == 200
    assert 'name="base_version" value="0"' in page_of(response)


def test_the_form_asks_the_database_twelve_times_whoever_opens_it(
    visit, figure, people, django_assert_max_num_queries
):
    versions(figure)
    people["root"] = User.objects.create_superuser("root", "root@example.org")
    for name in ("annotator", "reviewer", "moderator", "root"):
        client = visit(name)
        client.get(place(figure))
        with django_assert_max_num_queries(12):
            assert client.get(place(figure)).status_code == 200
