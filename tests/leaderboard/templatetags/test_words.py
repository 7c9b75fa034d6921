"""Words that are explained where they stand."""

import re

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


def test_pages_explain_their_words_once(client, spelling, owner):
    first = submit(spelling, owner, name="One")
    second = submit(spelling, owner, b"1=word1\n2=x\n3=x\n4=x\n", name="Two")
    for one in (first, second):
        judged(one)
    for address in (
        f"/entries/{first.pk}/",
        "/models/one/",
        f"/compare/?m={first.pk}&m={second.pk}",
        f"/questions/{spelling.questions.first().pk}/",
    ):
        markup = client.get(address).text
        ids = re.findall(r'\bid="([^"]+)"', markup)
        assert len(ids) == len(set(ids)), address
        targets = set(re.findall('popovertarget="(word-[^"]+)"', markup))
        assert targets, address
        assert targets <= set(ids), address
