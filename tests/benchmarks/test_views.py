from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from benchmarks.models import FigureImage, Release

WORDS = "two", "colour", "night", "sea"


@pytest.fixture
def image(load, folder) -> FigureImage:
    load(b"1|two|two|red.png\n", images=folder, slug="words")
    return FigureImage.objects.get()


def address(image: FigureImage) -> str:
    return f"/figures/{image.pk}/"


def test_a_picture_of_an_open_release_is_served_byte_for_byte(client, image, folder):
    reply = client.get(address(image))
    assert b"".join(reply.streaming_content) == (folder / "red.png").read_bytes()
    assert reply["Content-Type"] == "image/png"
    assert reply["X-Content-Type-Options"] == "nosniff"


def test_a_picture_is_cached_for_ever(client, image):
    reply = client.get(address(image))
    reply.close()
    assert "immutable" in reply["Cache-Control"]


def test_a_picture_that_was_imported_by_name_alone_is_not_found(client, load):
    load(b"1|two|two|red.png\n")
    assert client.get(address(FigureImage.objects.get())).status_code == 404


def test_a_picture_of_a_draft_is_not_found(client, draft):
    image = FigureImage.objects.get()
    FigureImage.objects.update(sha256="0" * 64, file="00/0.png")
    assert client.get(address(image)).status_code == 404


def test_a_draft_that_shares_a_picture_takes_it_from_nobody(client, image, load, folder):
    load(b"1|two|two|red.png\n9|sea|sea\n", images=folder, slug="grown", is_draft=True)
    reply = client.get(address(image))
    reply.close()
    assert reply.status_code == 200


def test_who_writes_of_a_draft_sees_its_picture_in_the_admin(client, load, folder, admin_user):
    load(b"1|two|two|red.png\n", images=folder, is_draft=True)
    image = FigureImage.objects.get()
    assert client.get(address(image)).status_code == 404
    client.force_login(admin_user)
    reply = client.get(f"/admin/benchmarks/figure/picture/{image.pk}/")
    assert b"".join(reply.streaming_content) == (folder / "red.png").read_bytes()
    assert "private" in reply["Cache-Control"]


def test_a_picture_lost_from_the_storage_is_not_found(client, image):
    default_storage.delete(image.file.name)
    assert client.get(address(image)).status_code == 404


@pytest.mark.parametrize("shown", ["", "small/"])
def test_a_picture_that_a_disk_damaged_is_not_sent_to_stay_in_caches(client, image, shown):
    stored = Path(image.file.path)
    stored.write_bytes(stored.read_bytes()[:-20])
    reply = client.get(f"{address(image)}{shown}")
    assert reply.status_code == 404
    assert "immutable" not in reply.headers.get("Cache-Control", "")


def test_a_picture_cannot_be_posted(client, image):
    assert client.post(address(image)).status_code == 405


def test_the_template_file_has_a_line_for_every_question(client, spelling):
    reply = client.get("/releases/spelling-1/template.csv")
    lines = ["id,prediction,question"]
    lines += [f"{i},,Spell {word}." for i, word in enumerate(WORDS, 1)]
    assert reply.content.decode() == "\r\n".join([*lines, ""])
    assert reply["Content-Disposition"] == 'attachment; filename="spelling-1-template.csv"'


def test_the_template_file_of_a_draft_is_not_found(client, draft):
    assert draft.state == Release.State.DRAFT
    assert client.get(f"/releases/{draft.slug}/template.csv").status_code == 404
