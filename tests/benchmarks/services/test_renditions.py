"""Renditions of figures: made once, stored beside them, and shown by pages."""

import io

import numpy as np
import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone
from PIL import Image

from benchmarks.figures.renditions import MOST_BYTES
from benchmarks.models import AbsentPicture, FigureImage, Rendition
from benchmarks.services.renditions import LEFT_ALONE, make_renditions
from leaderboard.operations.sweeps import tidy
from tests.benchmarks.pictures import picture


@pytest.fixture
def images(load, tmp_path) -> dict[str, FigureImage]:
    """A large and a small picture of an open release."""
    noise = np.random.default_rng(1).integers(0, 256, size=(900, 1_300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "large.png")
    (tmp_path / "small.png").write_bytes(picture())
    load(b"1|two|two|large.png\n2|one|one|small.png\n", images=tmp_path, slug="words")
    return {image.name: image for image in FigureImage.objects.all()}


def shown(client, image: FigureImage) -> tuple[bytes, str, str]:
    """Bytes, kind, and how long a browser keeps it."""
    reply = client.get(f"/figures/{image.pk}/small/")
    return b"".join(reply.streaming_content), reply["Content-Type"], reply["Cache-Control"]


def stored(image: FigureImage) -> bytes:
    with image.file.open("rb") as file:
        return bytes(file.read())


@pytest.mark.slow
def test_a_large_figure_is_shown_small_once_that_is_made_and_a_small_one_as_it_is(client, images):
    """Made once and some at a time; one that was lost gives way to the picture."""
    image = images["large.png"]
    original, kind, keeping = shown(client, image)
    assert (len(original) > MOST_BYTES, kind) == (True, "image/png")
    assert "immutable" not in keeping, "the small one may be there in a moment"
    assert [make_renditions(limit=1) for _ in range(3)] == [1, 1, 0]
    small, kind, keeping = shown(client, image)
    assert (len(small) <= MOST_BYTES, kind) == (True, "image/webp")
    assert "immutable" in keeping
    assert Image.open(io.BytesIO(small)).width <= 1_200
    assert stored(image) == original
    content, kind, keeping = shown(client, images["small.png"])
    assert (content, kind) == (picture(), "image/png")
    assert "immutable" in keeping
    assert Rendition.objects.get(sha256=images["small.png"].sha256).file == ""
    default_storage.delete(str(Rendition.objects.get(sha256=image.sha256).file))
    content, kind, keeping = shown(client, image)
    assert (content, kind) == (original, "image/png")
    assert "immutable" not in keeping


def take_away(image: FigureImage) -> bytes:
    content = stored(image)
    default_storage.delete(str(image.file))
    return content


def test_pictures_that_are_away_keep_nobody_waiting_and_are_not_asked_for_each_hour(
    images, monkeypatch
):
    first, behind = sorted(images.values(), key=lambda image: image.pk)
    take_away(first)
    assert [make_renditions(limit=1), make_renditions(limit=1)] == [0, 1]
    assert list(Rendition.objects.values_list("sha256", flat=True)) == [behind.sha256]
    asked = []
    monkeypatch.setattr(default_storage, "exists", lambda name: asked.append(name))
    assert make_renditions() == 0
    assert asked == []


@pytest.mark.slow
def test_a_picture_that_was_away_is_looked_at_after_a_while_and_by_the_command_at_once(images):
    image = images["large.png"]
    content = take_away(image)
    tidy()
    assert Rendition.objects.count() == 1
    default_storage.save(str(image.file), io.BytesIO(content))
    assert make_renditions() == 0
    with transaction.atomic():
        call_command("make_renditions")
        assert Rendition.objects.count() == 2
        transaction.set_rollback(True)
    AbsentPicture.objects.update(looked=Now() - LEFT_ALONE)
    assert make_renditions() == 1
    assert Rendition.objects.exclude(file="").count() == 1
    assert not AbsentPicture.objects.exists()


def test_the_command_looks_at_all_and_says_how_many(images):
    for said in ("2 pictures were looked at.\n", "1 picture was looked at.\n"):
        out = io.StringIO()
        call_command("make_renditions", stdout=out)
        assert out.getvalue() == said
        first = Rendition.objects.order_by("pk")[0]
        AbsentPicture.objects.filter(sha256=first.sha256).delete()
        first.delete()


def test_those_never_looked_at_go_before_those_that_were_away(images):
    first, behind = sorted(images.values(), key=lambda image: image.pk)
    take_away(first)
    AbsentPicture.objects.create(sha256=first.sha256, looked=timezone.now() - 2 * LEFT_ALONE)
    assert make_renditions(limit=1) == 1
    assert Rendition.objects.get().sha256 == behind.sha256


def test_a_picture_that_may_not_be_read_keeps_no_other_from_its_rendition(images, monkeypatch):
    large, read = str(images["large.png"].file), default_storage.open

    def refusing(name, *args):
        if name == large:
            raise PermissionError(name)
        return read(name, *args)

    monkeypatch.setattr(default_storage, "open", refusing)
    assert make_renditions() == 1
    assert AbsentPicture.objects.get().sha256 == images["large.png"].sha256


def test_a_draft_shows_nothing(client, draft):
    FigureImage.objects.update(sha256="0" * 64, file="00/0.png")
    image = FigureImage.objects.get()
    assert client.get(f"/figures/{image.pk}/small/").status_code == 404
