from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from benchmarks.models import FigureImage

WORDS = "two", "colour", "night", "sea"


@pytest.fixture
def image(load, folder) -> FigureImage:
    load(b"1|two|two|red.png\n", images=folder, slug="words")
    return FigureImage.objects.get()


def address(image: FigureImage) -> str:
    return f"/figures/{image.pk}/"


def test_a_picture_of_an_open_release_is_served_byte_for_byte_and_kept_for_ever(
    client, image, load, folder
):
    """Though a draft shows it too."""
    load(b"1|two|two|red.png\n9|sea|sea\n", images=folder, slug="grown", is_draft=True)
    reply = client.get(address(image))
    assert b"".join(reply.streaming_content) == (folder / "red.png").read_bytes()
    assert reply["Content-Type"] == "image/png"
    assert reply["X-Content-Type-Options"] == "nosniff"
    assert "immutable" in reply["Cache-Control"]
    assert client.post(address(image)).status_code == 405


def test_pictures_of_drafts_or_by_name_alone_and_templates_of_drafts_are_not_found(
    client, load, request
):
    load(b"1|two|two|red.png\n")
    by_name = FigureImage.objects.get()
    assert client.get(address(by_name)).status_code == 404
    draft = request.getfixturevalue("draft")
    assert client.get(f"/releases/{draft.slug}/template.csv").status_code == 404
    of_draft = FigureImage.objects.exclude(pk=by_name.pk)
    of_draft.update(sha256="0" * 64, file="00/0.png")
    assert client.get(address(of_draft.get())).status_code == 404


def test_who_writes_of_a_draft_sees_its_picture_in_the_admin(client, load, folder, admin_user):
    load(b"1|two|two|red.png\n", images=folder, is_draft=True)
    image = FigureImage.objects.get()
    assert client.get(address(image)).status_code == 404
    client.force_login(admin_user)
    reply = client.get(f"/admin/benchmarks/figure/picture/{image.pk}/")
    assert b"".join(reply.streaming_content) == (folder / "red.png").read_bytes()
    assert "private" in reply["Cache-Control"]


def test_a_picture_that_a_disk_damaged_or_lost_is_not_sent_to_stay_in_caches(client, image):
    stored = Path(image.file.path)
    stored.write_bytes(stored.read_bytes()[:-20])
    for shown in ("", "small/"):
        reply = client.get(f"{address(image)}{shown}")
        assert reply.status_code == 404
        assert "immutable" not in reply.headers.get("Cache-Control", "")
    default_storage.delete(image.file.name)
    assert client.get(address(image)).status_code == 404


def test_the_template_file_has_a_line_for_every_question(client, spelling):
    reply = client.get("/releases/spelling-1/template.csv")
    lines = ["id,prediction,question"]
    lines += [f"{i},,Spell {word}." for i, word in enumerate(WORDS, 1)]
    assert reply.content.decode() == "\r\n".join([*lines, ""])
    assert reply["Content-Disposition"] == 'attachment; filename="spelling-1-template.csv"'
