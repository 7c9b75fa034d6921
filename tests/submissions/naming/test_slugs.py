"""The words by which addresses name models."""

import pytest
from django.contrib.auth.models import User

from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.naming.slugs import NUMBERED, SLUG_LENGTH, free_slug, slug_of
from benchmarks.submissions.services import ensure_model
from tests.each_case import each_case

NAMES = ("Lucid 9B", "lucid-9b", "LUCID 9B!")


def made(name: str, owner: User | None = None) -> EvaluatedModel:
    return ensure_model(owner=owner, details=EvaluatedModel(name=name))


@each_case(
    "name, slug",
    [
        ("Qwen-VL 9.6B (Chat)", "qwen-vl-96b-chat"),
        ("Émile²", "emile2"),
        ("通义千问", "model"),
        ("🦙", "model"),
        ("--", "model"),
        ("6f9619ff-8b86-d011-b42d-00cf4fc964ff", "model-6f9619ff-8b86-d011-b42d-00cf4fc964ff"),
        ("a" * 100, "a" * 100),
    ],
)
def test_a_slug_is_of_letters_of_addresses_and_never_an_id(name, slug):
    assert slug_of(name) == slug


@pytest.mark.django_db
def test_the_second_of_a_name_has_a_number_and_each_model_keeps_its_slug(
    owner, stranger, monkeypatch
):
    numbered = ["lucid-9b", "lucid-9b-2", "lucid-9b-3", "lucid-9b-4"]
    for _ in range(2):
        slugs = [made(name, owner).slug for name in NAMES] + [made("Lucid 9B", stranger).slug]
        assert slugs == numbered
    model = made("Lucid 9B", owner)
    EvaluatedModel.objects.filter(pk=model.pk).update(slug=None)
    again = made("Lucid 9B", owner)
    assert again.pk == model.pk
    assert again.slug.startswith("lucid-9b-")
    monkeypatch.setattr("benchmarks.submissions.services.free_slug", lambda *_: "lucid-9b-4")
    at_once = made("Lucid 9b", owner).slug
    assert at_once.startswith("lucid-9b-")
    assert at_once not in numbered


def test_long_names_leave_room_for_what_tells_them_apart():
    taken = {"w" * 100}
    slug = free_slug("w" * 100, taken.intersection)
    assert slug == "w" * 98 + "-2"
    assert len(slug) == SLUG_LENGTH


def test_of_many_models_of_one_name_later_ones_have_letters_that_nobody_guesses():
    taken: set[str] = set()
    for _ in range(NUMBERED + 3):
        taken.add(free_slug("M", taken.intersection))
    assert len(taken) == NUMBERED + 3
    assert sum(len(slug) == len("m-12345678") for slug in taken) == 3
