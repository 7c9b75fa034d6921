"""Drawings that other sites show: a text in them ends no element and begins none."""

from xml.etree import ElementTree

from django.utils.safestring import SafeString

from leaderboard.web.sharing.badge import badge
from leaderboard.web.sharing.pictures import standalone

NAME = "<a onload=x>&\"'"
SPACE = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    drawn = ElementTree.fromstring(svg)
    return [
        each.text or "" for each in drawn.iter() if each.tag in (f"{SPACE}title", f"{SPACE}text")
    ]


def test_a_badge_says_names_as_they_are():
    assert texts(badge(NAME, "3 < 4")) == [f"{NAME}: 3 < 4", NAME, "3 < 4"]
    assert ElementTree.fromstring(badge(NAME, "1")).get("aria-label") == f"{NAME}: 1"


def test_a_drawing_by_itself_has_its_title_as_it_is():
    alone = standalone(SafeString("<svg viewBox='0 0 1 1'></svg>"), title=NAME)
    assert texts(alone) == [NAME]
