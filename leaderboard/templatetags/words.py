"""Words of this site, explained where they stand: `{% word "rank range" %}` is a button that opens
what the word means, without JavaScript too."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.context import RenderContext
from django.template.defaultfilters import slugify
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.results.judges.seals import JudgeSeal

register = template.Library()

WORDS: Mapping[str, str] = {
    "baseline": "Answers made by this site without looking at any picture, such as always yes: "
    "what can be scored without a model. Never ranked.",
    "sample": "An entry that this site made itself to show how it works. There is no real model.",
    "coverage": "The share of scored answers that have a verdict. Those without one, because a "
    "reply could not be read or a call failed, are missing and never count as wrong.",
    "edition": "One state of the descriptions and references that a judge reads. The number goes "
    "up by one with each newly approved text, and scores say which one they were judged with.",
    "era": "Entries of one release, judged by the same judge with the same prompts. Only within an "
    "era are scores comparable.",
    "judge": "What decides whether an answer is right: a language model that reads question, "
    "reference and answer, or the offline rules.",
    "mark": "A pattern in the answers found by fixed rules: for example, many are empty or equal "
    "to those of another entry. It describes the pattern, not its cause.",
    "offline rules": "A program that compares words by fixed rules, without a language model.",
    "rank range": "The ranks the entry could hold given the uncertainty: 2-4 is a rank from "
    "second to fourth, with 95 % confidence.",
    "reference": "The answer that the judge compares with.",
    "discrimination": "The correlation, over entries, between the score on this question and the "
    "score on all others.",
    "unreadable": "A judge reply without a readable verdict. It counts as missing, not as wrong.",
    "95 % interval": "Contains the true value in 95 % of cases: it allows for other questions of "
    "the same kind and for missing verdicts, not for errors of the judge. With few "
    "questions, nearly all of them right, it does so in 92 %.",
}


@register.simple_tag
def judge_name(judge: JudgeSeal, *, is_brief: bool = False) -> SafeString:
    """A judge by its name, with what it is where no language model judges; is_brief: in cells,
    without a link and with that when pointed at."""
    about = "a program that compares words" if judge.is_offline else ""
    if is_brief:
        return format_html('<span title="{}">{}</span>', about or judge.slug, judge.label)
    address = reverse("judge", args=[judge.slug])
    after = f", {about}" if about else ""
    return format_html('<a class="seal" href="{}">{}</a>{}', address, judge.label, after)


@register.simple_tag(takes_context=True)
def word(context: template.Context, name: str, shown: str = "") -> SafeString | str:
    """`name`, or `shown` in its place, with what it means; plain where that is not known. What it
    means stands once on a page, and every further mention opens the same."""
    about, shown = WORDS.get(name.lower()), shown or name
    if about is None:
        return shown
    slug = f"word-{slugify(name)}"
    button = format_html(
        '<button type="button" class="word" popovertarget="{}">{}</button>', slug, shown
    )
    if slug in words_on_page(context.render_context):
        return button
    words_on_page(context.render_context).add(slug)
    title = name[:1].upper() + name[1:]
    return format_html(
        '{}<span class="word-text" id="{}" popover><b>{}</b> {}</span>', button, slug, title, about
    )


def words_on_page(kept: RenderContext) -> set[str]:
    """Of the whole page: what a template includes has a context of its own above it."""
    first: dict[str, Any] = kept.dicts[0]  # type: ignore[assignment]  # any value, say the docs
    found: set[str] = first.setdefault("words_told", set())
    return found
