"""Renditions of figures are made and stored beside them."""

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import Exists, OuterRef

from benchmarks.models import FigureImage, Rendition
from benchmarks.renditions import MOST_BYTES, rendition_of

AT_ONCE = 20
"""Pictures that one sweep looks at: twelve million pixels took 1.3 to 6 s on a busy machine, and
the sweep may take 270."""


def make_renditions(*, limit: int | None = AT_ONCE) -> int:
    """Of as many pictures as `limit`, or of all, it is known whether they have a rendition;
    how many.

    Nothing happens to a picture whose file is away: it is looked at again. Two processes at once
    make the same.
    """
    known = Rendition.objects.filter(sha256=OuterRef("sha256"))
    waiting = FigureImage.objects.exclude(sha256="").filter(~Exists(known)).order_by("pk")
    found = dict(waiting.values_list("sha256", "file")[:limit])
    made = 0
    for sha256, name in found.items():
        if not default_storage.exists(name):
            continue
        Rendition.objects.get_or_create(
            sha256=sha256, defaults={"file": stored_rendition(sha256, name)}
        )
        made += 1
    return made


def stored_rendition(sha256: str, name: str) -> str:
    """The name of the rendition of the picture `name`, which is stored; empty where it has none."""
    if default_storage.size(name) <= MOST_BYTES:
        return ""
    with default_storage.open(name) as file:
        content = rendition_of(file.read())
    if content is None:
        return ""
    place = f"{sha256[:2]}/{sha256}.small.webp"
    if default_storage.exists(place):
        return place
    return default_storage.save(place, ContentFile(content))
