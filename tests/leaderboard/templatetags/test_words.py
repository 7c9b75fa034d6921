"""Words that are explained where they stand."""

import re

import pytest
from django.template import Context, Template

from leaderboard.templatetags.words import WORDS
from tests.conftest import judged, submit


def rendered(text: str) -> str:
    return Template("{% load words %}" + text).render(Context({"title": "<Price>"}))


def test_a_word_opens_what_it_means():
    found = rendered('{% word "era" %}')
    assert re.search('<button [^>]*popovertarget="word-era">era</button>', found)
    assert f'id="word-era" popover><b>Era</b> {WORDS["era"]}</span>' in found


def test_a_word_is_explained_once_and_opens_from_everywhere():
    found = rendered('{% word "era" %} {% word "era" "eras" %}')
    assert found.count('id="word-era"') == 1
    assert found.count('popovertarget="word-era"') == 2
    assert ">eras</button>" in found


def test_a_word_that_nobody_explains_stays_as_it_is():
    assert rendered("{% word title %}") == "&lt;Price&gt;"


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["entry", "model", "compare", "question"])
def test_pages_explain_their_words_once(client, spelling, owner, page):
    first = submit(spelling, owner, name="One")
    second = submit(spelling, owner, b"1=word1\n2=x\n3=x\n4=x\n", name="Two")
    for one in (first, second):
        judged(one)
    question = spelling.questions.first().pk
    address = {
        "entry": f"/entries/{first.pk}/",
        "model": "/models/one/",
        "compare": f"/compare/?m={first.pk}&m={second.pk}",
        "question": f"/questions/{question}/",
    }[page]
    markup = client.get(address).content.decode()
    ids = re.findall(r'\bid="([^"]+)"', markup)
    assert len(ids) == len(set(ids))
    targets = set(re.findall('popovertarget="(word-[^"]+)"', markup))
    assert targets
    assert targets <= set(ids)
