"""Renditions of figures are made and stored beside them."""

import hashlib
from datetime import timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from benchmarks.figures.renditions import MOST_BYTES, rendition_of
from benchmarks.models import AbsentPicture, FigureImage, Rendition

AT_ONCE = 20
"""Pictures that one sweep looks at: twelve million pixels took 1.3 to 6 s on a busy machine, and
the sweep may take 270."""
LEFT_ALONE = timedelta(days=7)
"""A picture that could not be read: who puts files back need not wait, for the command looks at
all there are."""


def make_renditions(*, limit: int | None = AT_ONCE) -> int:
    """Of as many pictures as `limit`, or of all, it is known whether they have a rendition;
    how many.

    A picture that cannot be read, its file being away, is looked at again after LEFT_ALONE, and
    behind those that were never looked at; where there is no limit, at once. Two processes at once
    make the same.
    """
    known = Rendition.objects.filter(sha256=OuterRef("sha256"))
    absent = AbsentPicture.objects.filter(sha256=OuterRef("sha256"))
    waiting = FigureImage.objects.exclude(sha256="").filter(~Exists(known))
    if limit is not None:
        waiting = waiting.filter(~Exists(absent.filter(looked__gt=Now() - LEFT_ALONE)))
    waiting = waiting.order_by(Exists(absent), "pk")
    found = dict(waiting.values_list("sha256", "file")[:limit])
    return sum(make_rendition(sha256, name) for sha256, name in found.items())


def make_rendition(sha256: str, name: str) -> bool:
    """It is known whether the picture `name` has one, and False that it cannot be read now."""
    try:
        content = large_picture(sha256, name)
    except OSError:
        AbsentPicture.objects.update_or_create(sha256=sha256, defaults={"looked": Now()})
        return False
    made = None if content is None else rendition_of(content)
    stored = {} if made is None else stored_rendition(sha256, made)
    Rendition.objects.get_or_create(sha256=sha256, defaults=stored)
    AbsentPicture.objects.filter(sha256=sha256).delete()
    return True


def large_picture(sha256: str, name: str) -> bytes | None:
    """None for a picture that is small enough. OSError where it is away, damaged or cannot be
    read."""
    if not default_storage.exists(name):  # not every storage raises FileNotFoundError
        raise FileNotFoundError(name)
    with default_storage.open(name) as file:
        content = bytes(file.read())
    if hashlib.sha256(content).hexdigest() != sha256:
        raise OSError(f"{name} is damaged")
    return None if len(content) <= MOST_BYTES else content


def stored_rendition(sha256: str, content: bytes) -> dict[str, str]:
    """Its fields of the row; the file is stored."""
    place = f"{sha256[:2]}/{sha256}.small.webp"
    file = default_storage.save(place, ContentFile(content))
    return {"file": file, "file_sha256": hashlib.sha256(content).hexdigest()}
