"""Words of this site, explained where they stand: `{% word "rank range" %}` is a button that opens
what the word means, without JavaScript too."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.template.context import RenderContext
from django.template.defaultfilters import slugify
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

WORDS: Mapping[str, str] = {
    "baseline": "Answers made by this site without looking at any picture, such as always yes: "
    "what can be had for nothing. Never ranked.",
    "sample": "An entry that this site made itself to show how it works. No model is behind it.",
    "coverage": "The share of what is scored that has a verdict. What has none, for a reply could "
    "not be read or a call failed, is missing and never counts as wrong.",
    "edition": "A state of the descriptions and references that a judge reads. It counts up by one "
    "with each text that people approve anew, and scores say by which one they were judged.",
    "era": "Entries of one release, judged by the same judge with the same prompts. Only within an "
    "era are scores comparable.",
    "judge": "What decides whether an answer is right: a language model that reads question, "
    "reference and answer, or the offline rules.",
    "mark": "Something remarkable about the answers as a whole, counted by fixed rules: that many "
    "are empty, or equal to those of another entry. It says how they look, not why.",
    "offline rules": "A program that reads each answer by fixed rules, without a model.",
    "rank range": "The places that an entry may truly have: how many are surely better, and how "
    "many surely worse. 2-4 is some place from second to fourth, with 95 %.",
    "reference": "The answer that the judge compares with.",
    "tells apart": "The correlation, over entries, of doing well on this question with doing well "
    "on all others.",
    "unreadable": "A reply of the judge in which no verdict could be found. It counts as missing, "
    "not as wrong.",
    "95 % interval": "Where the true value lies, with 95 % of intervals like this one right: what "
    "other questions of the same kind might have given, and what missing verdicts might have been. "
    "Of few questions that are nearly all right 92 % are.",
}


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
