"""Names of a page's landmarks, by which who does not see it goes from part to part."""

import re
from collections import Counter
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = sorted((Path(settings.BASE_DIR) / "templates").glob("*.html"))
LANDMARK = re.compile(r'<(?:section|nav)\b[^>]*>|<[a-z]+\b[^>]*role="region"[^>]*>')
LABEL = re.compile(r'aria-labelledby="([^"]+)"')


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_two_landmarks_of_a_page_have_one_title(template):
    labels = [LABEL.findall(tag) for tag in LANDMARK.findall(template.read_text())]
    counted = Counter(label for found in labels for label in found)
    assert [label for label, count in counted.items() if count > 1] == []


def test_a_description_that_scrolls_is_reached_by_keyboard():
    """axe: scrollable-region-focusable."""
    boxes = re.findall(r"<pre[^>]*>", (TEMPLATES[0].parent / "question.html").read_text())
    assert boxes
    assert all('tabindex="0"' in box and "aria-label=" in box for box in boxes)
