import io

import pytest
from PIL import Image

from benchmarks.models import Release
from benchmarks.protocols.base import (
    AbilityEntry,
    BenchmarkProtocol,
    ImageSource,
    QuestionRow,
    SubtaskEntry,
)
from benchmarks.services.importing import import_release
from tests import tiny_protocol
from tests.api_clients import API, check_documented


class PictureDataset:
    """One question with a picture whose file is known, one whose file is not, one without any."""

    TAXONOMY: tuple[AbilityEntry, ...] = (
        AbilityEntry("words", "Words", (SubtaskEntry("words/short", "Short"),)),
    )

    def read(self, stream):
        picture = io.BytesIO()
        Image.new("RGB", (2, 2)).save(picture, "PNG")
        sources = {
            "with": (ImageSource("a.png", picture.getvalue()),),
            "lost": (ImageSource("b.png"),),
            "none": (),
        }
        for public_id, images in sources.items():
            yield QuestionRow(
                public_id=public_id,
                ability="words",
                subtask="words/short",
                figure=public_id if images else "",
                group=public_id,
                text=f"What is {public_id}?",
                reference="secret",
                images=images,
            )


@pytest.fixture
def pictures(db, settings, tmp_path) -> Release:
    settings.MEDIA_ROOT = tmp_path
    ports = ("predictions", "judging", "scoring", "board", "prompts", "default_prompts")
    family = BenchmarkProtocol(
        slug="pictures",
        title="Pictures",
        dataset=PictureDataset(),
        **{port: getattr(tiny_protocol.PROTOCOL, port) for port in ports},
    )
    return import_release(protocol=family, stream=io.BytesIO(), slug="pictures-1").release


def test_releases_are_listed_with_their_checksum_and_links_and_no_draft(spelling, client):
    Release.objects.create(
        benchmark=spelling.benchmark,
        slug="secret",
        title="Secret",
        checksum="0" * 64,
        question_count=0,
    )
    response = client.get(f"{API}/releases/")
    check_documented(response, "/releases/")
    (release,) = response.json()["results"]
    assert (release["slug"], release["checksum"]) == ("spelling-1", spelling.checksum)
    for address in ("secret/", "secret/questions/"):
        assert client.get(f"{API}/releases/{address}").status_code == 404
    response = client.get(f"{API}/releases/spelling-1/")
    check_documented(response, "/releases/{slug}/")
    links = response.json()["links"]
    for name in ("self", "questions", "template"):
        assert client.get(links[name]).status_code == 200


def test_questions_come_in_file_order_with_public_fields_only(spelling, client):
    """Also where references are public."""
    for disclosure in (spelling.disclosure, "open"):
        Release.objects.filter(pk=spelling.pk).update(disclosure=disclosure)
        response = client.get(f"{API}/releases/spelling-1/questions/")
        check_documented(response, "/releases/{slug}/questions/")
        first, *rest = response.json()["results"]
        assert first == {
            "public_id": "1",
            "ability": "words",
            "subtask": "words/short",
            "text": "Spell two.",
            "facts": {},
            "images": [],
        }
        assert [question["public_id"] for question in rest] == ["2", "3", "4"]


def test_questions_have_the_addresses_of_the_pictures_that_are_there(pictures, client):
    found = {
        q["public_id"]: q
        for q in client.get(f"{API}/releases/pictures-1/questions/").json()["results"]
    }
    assert {key: len(question["images"]) for key, question in found.items()} == {
        "with": 1,
        "lost": 0,
        "none": 0,
    }
    picture = client.get(found["with"]["images"][0])
    picture.close()
    assert picture["Content-Type"] == "image/png"


def long_release(words: int) -> Release:
    lines = "\n".join(f"{i}|word{i}|word{i}" for i in range(words))
    return import_release(
        protocol=tiny_protocol.PROTOCOL, stream=io.BytesIO(lines.encode()), slug="long-1"
    ).release


def test_questions_are_paged_without_loss(db, client):
    long_release(250)
    url, seen = f"{API}/releases/long-1/questions/", []
    while url:
        page = client.get(url).json()
        seen += [question["public_id"] for question in page["results"]]
        url = page["next"]
    assert seen == [str(i) for i in range(250)]


def test_a_page_of_questions_needs_the_same_few_queries_for_any_length(
    pictures, client, django_assert_max_num_queries
):
    long_release(120)
    with django_assert_max_num_queries(4):
        client.get(f"{API}/releases/long-1/questions/")
    with django_assert_max_num_queries(4):
        client.get(f"{API}/releases/pictures-1/questions/")
