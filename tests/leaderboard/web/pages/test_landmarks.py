"""Names of a page's landmarks, by which who does not see it goes from part to part."""

import re
from collections import Counter
from pathlib import Path

from django.conf import settings

FOLDER = Path(settings.BASE_DIR) / "templates"
TEMPLATES = sorted(FOLDER.rglob("*.html"))
LANDMARK = re.compile(r'<(?:section|nav)\b[^>]*>|<[a-z]+\b[^>]*role="region"[^>]*>')
LABEL = re.compile(r'aria-labelledby="([^"]+)"')


def test_no_two_landmarks_of_a_page_have_one_title():
    found = {}
    for template in TEMPLATES:
        tags = LANDMARK.findall(template.read_text())
        counted = Counter(label for tag in tags for label in LABEL.findall(tag))
        found[str(template.relative_to(FOLDER))] = [
            label for label, count in counted.items() if count > 1
        ]
    assert {name: labels for name, labels in found.items() if labels} == {}


def test_a_description_that_scrolls_is_reached_by_keyboard():
    """axe: scrollable-region-focusable."""
    boxes = re.findall(r"<pre[^>]*>", (TEMPLATES[0].parent / "questions/question.html").read_text())
    assert boxes
    assert all('tabindex="0"' in box and "aria-label=" in box for box in boxes)
