"""The key that is kept beside a file."""

import json
import uuid

import pytest
from assay.resuming import key_for, place_of

SITE, FORM = "https://assay.example.org", {"model": "M", "release": "r"}


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "answers.csv"
    found.write_text("id,prediction\n")
    return found


def test_the_same_file_has_the_same_key_and_another_file_site_or_word_another(path):
    first = key_for(path, SITE, FORM)
    assert uuid.UUID(first)
    assert key_for(path, SITE, dict(reversed(FORM.items()))) == first
    assert json.loads(place_of(path).read_text())["key"] == first
    kept = place_of(path).read_text()
    for others, again in (
        ((path, "https://elsewhere.example.org", FORM), False),
        ((path, SITE, {**FORM, "model": "N"}), False),
        ((path, SITE, FORM), True),
    ):
        assert key_for(*others, again=again) != first
        place_of(path).write_text(kept)
    path.write_text("id,prediction\na,b\n")
    assert key_for(path, SITE, FORM) != first


def test_what_was_cut_off_or_made_up_is_written_anew(path):
    for kept in ("", "{", "[]", "null", '{"key": 1}', '{"key": "x"}'):
        place_of(path).write_text(kept)
        assert key_for(path, SITE, FORM) == key_for(path, SITE, FORM), kept


def test_where_nothing_can_be_written_a_key_is_made_all_the_same(path):
    place_of(path).mkdir()
    assert uuid.UUID(key_for(path, SITE, FORM))
    assert sorted(one.name for one in path.parent.iterdir()) == ["answers.csv", "answers.csv.assay"]
