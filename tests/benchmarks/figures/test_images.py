import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.figures.images import MAX_PIXELS, ImageError, examine_image
from tests.benchmarks.pictures import HTML, SVG, picture, png_that_claims
from tests.each_case import each_case

KINDS = [("PNG", ".png"), ("JPEG", ".jpg"), ("WEBP", ".webp"), ("GIF", ".gif")]


@each_case("kind, extension", KINDS)
def test_a_picture_is_named_by_its_content_and_kind(kind, extension):
    content = picture(kind)
    facts = examine_image(content)
    digest = hashlib.sha256(content).hexdigest()
    assert (facts.width, facts.height) == (3, 2)
    assert facts.stored_name == f"{digest[:2]}/{digest}{extension}"


@each_case(
    "content",
    [
        b"",
        b"PNG",
        SVG,
        HTML,
        b"\x89PNG\r\n\x1a\n" + HTML,
        picture("BMP"),
        picture("TIFF"),
        picture()[:45],
    ],
)
def test_bytes_that_are_no_picture_are_refused_in_a_sentence(content):
    with pytest.raises(ImageError, match="is not a readable PNG, JPEG, WebP or GIF picture"):
        examine_image(content)


@each_case("width, height", [(10_000, 5_001), (30_000, 30_000), (2**31 - 1, 2**31 - 1)])
def test_a_header_that_announces_a_bomb_is_refused_before_it_is_decoded(width, height):
    with pytest.raises(ImageError, match="pixels"):
        examine_image(png_that_claims(width, height))


@given(
    st.sampled_from([picture(kind) for kind, _ in KINDS]),
    st.integers(0),
    st.binary(min_size=1, max_size=6),
)
def test_a_damaged_picture_is_read_or_refused_and_nothing_else(content, place, damage):
    start = place % len(content)
    damaged = content[:start] + damage + content[start + len(damage) :]
    try:
        facts = examine_image(damaged)
    except ImageError:
        return
    assert facts.width * facts.height <= MAX_PIXELS
