"""Every template can be read: one that only some pages include fails nowhere else before a visitor
comes."""

from pathlib import Path

import pytest
from django.template.loader import get_template

from tests.site import PROJECT

FOLDER = PROJECT / "templates"
TEMPLATES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.html"))


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_is_read_without_a_mistake(name: str) -> None:
    assert Path(str(get_template(name).origin)).name == Path(name).name  # type: ignore[attr-defined]
