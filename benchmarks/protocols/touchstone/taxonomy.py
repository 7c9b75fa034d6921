"""The five abilities and 27 subtasks of TouchStone, and the names that mean them.

The official picture and the paper's text name 27 subtasks each, but not the same ones; ours are the
picture's. A name of the text is read as the picture's where both clearly mean one thing; four names
of the text have no counterpart and are read as the nearest (NEAREST). Which of the two lists the
dataset file uses is not known, nor what the Chinese one calls them: any other name is a subtask of
its own.
"""

import hashlib
import re
from collections.abc import Mapping

from benchmarks.protocols.base import AbilityEntry, SubtaskEntry


def _slug(title: str) -> str:
    """ "Attribute-based Q&A" -> "attribute-based-qa"."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower().replace("&", "")).strip("-")


def _ability(slug: str, title: str, *subtasks: str) -> AbilityEntry:
    return AbilityEntry(
        slug, title, tuple(SubtaskEntry(f"{slug}/{_slug(name)}", name) for name in subtasks)
    )


TAXONOMY: tuple[AbilityEntry, ...] = (
    _ability(
        "recognition",
        "Visual Recognition",
        "Attribute-based Q&A",
        "Species recognition",
        "Celebrity recognition",
        "Text recognition",
        "Emotion recognition",
        "Identifying movies/TV shows",
        "Art recognition",
        "Real-life image recognition",
        "Landmark recognition",
        "Brand recognition",
    ),
    _ability(
        "comprehension",
        "Visual Comprehension",
        "Reasoning-based Q&A",
        "Abstract art",
        "General problem solving",
        "Style appreciation",
        "Chart analysis",
        "Meme comprehension",
        "Math Problem solving",
    ),
    _ability("description", "Basic Description", "Simple description", "Detailed description"),
    _ability(
        "storytelling",
        "Visual Storytelling",
        "Writing stories",
        "Brainstorming",
        "Writing poetry",
        "Writing emails",
        "Writing recommendations",
    ),
    _ability(
        "multi-image",
        "Multi-Image Analysis",
        "Product comparison",
        "Summarizing multiple images",
        "Comparing multiple images",
    ),
)


def folded(name: str) -> str:
    """A name without what people vary by accident: case, blanks, dashes and signs."""
    return "".join(character for character in name.casefold() if character.isalnum())


MAX_SLUG_CHARACTERS = 40
"""Of a name of its own; a subtask's slug, which the database keeps 100 of, has its ability's before
it."""


def own_slug(name: str) -> str:
    """ "日常 物品" -> "日常-物品": readable where the name is; empty for one without letters."""
    slug = re.sub(r"[\W_]+", "-", name.casefold()).strip("-")
    if len(slug) <= MAX_SLUG_CHARACTERS:
        return slug
    return f"{slug[: MAX_SLUG_CHARACTERS - 9]}-{hashlib.sha256(slug.encode()).hexdigest()[:8]}"


_PAPER_ABILITIES = {
    "Visual Recognition Ability": "recognition",
    "Visual Comprehension Ability": "comprehension",
    "Basic Descriptive Ability": "description",
    "Visual Storytelling Ability": "storytelling",
    "Multi-Image Analysis Ability": "multi-image",
}
_PAPER_SUBTASKS = {
    "attribute QA": "recognition/attribute-based-qa",
    "movie/TV recognition": "recognition/identifying-movies-tv-shows",
    "abstract image understanding": "comprehension/abstract-art",
    "meme understanding": "comprehension/meme-comprehension",
    "reasoning QA": "comprehension/reasoning-based-qa",
    "poetry": "storytelling/writing-poetry",
    "stories": "storytelling/writing-stories",
    "ads/commodity recommendations": "storytelling/writing-recommendations",
    "comparing two/multiple images": "multi-image/comparing-multiple-images",
    "summarizing multiple image information": "multi-image/summarizing-multiple-images",
    "comparing commodities": "multi-image/product-comparison",
}

ABILITIES: Mapping[str, str] = {
    **{folded(entry.title): entry.slug for entry in TAXONOMY},
    **{folded(name): slug for name, slug in _PAPER_ABILITIES.items()},
}
"""Slug of an ability by its folded name, in the picture or in the paper."""

SUBTASKS: Mapping[str, str] = {
    folded(s.title): s.slug for entry in TAXONOMY for s in entry.subtasks
}
"""Slug of a subtask by its folded name in the picture."""

PAPER_SUBTASKS: Mapping[str, str] = {folded(name): slug for name, slug in _PAPER_SUBTASKS.items()}
"""Slug of a subtask by its folded name in the paper's text, where that differs."""

NEAREST: Mapping[str, str] = {
    folded(name): slug
    for name, slug in {
        "object recognition": "recognition/species-recognition",
        "structure content recognition": "recognition/text-recognition",
        "image analysis": "comprehension/chart-analysis",
        "step-by-step analysis of images": "multi-image/summarizing-multiple-images",
    }.items()
}
"""Slug of the subtask that is nearest, by the folded name of one that the paper's text alone has.
The reading is ours, and flagged where it is used."""
