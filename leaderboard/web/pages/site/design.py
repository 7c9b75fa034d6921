"""The page that shows staff every part that pages are made of, once for each theme."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django import forms
from django.contrib.staticfiles import finders
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.results.selectors import BoardReading
from leaderboard.web.board.lead_figure import lead_figure
from leaderboard.web.board.radar import RadarAxis, draw_radar, marker
from leaderboard.web.board.strips import places_of, score_strip
from leaderboard.web.pages.models.places import first_readings

THEMES = ("light", "dark")
SHOWN = 6  # entries of a real board, and series of a chart
COLOUR = re.compile(r"^ *--([\w-]{1,40}): (?:#|light-dark|var\(--(?:line|series))", re.MULTILINE)
LENGTH = re.compile(r"^ *--((?:size|space)-[\w-]{1,40}): ", re.MULTILINE)
AXES = tuple(RadarAxis(title, 0) for title in ("Colour", "Count", "Text", "Place", "Action"))
SERIES = ((0.9, 0.7, 0.8, 0.6, 0.7), (0.6, 0.8, 0.5, 0.7, 0.9), (0.5, 0.5, 0.6, 0.4, 0.6))


@require_safe
def design(request: HttpRequest) -> HttpResponse:
    """For staff (urls.py)."""
    return render(request, "site/design.html", {"page": design_page()})


class PartsForm(forms.Form):
    """One field of each kind that pages have; sent by nobody."""

    use_required_attribute = False
    name = forms.CharField(help_text="What it is called on the board.")
    size = forms.ChoiceField(choices=[("", "any"), ("7", "up to 7B")], required=False)
    kind = forms.ChoiceField(choices=[("o", "Open"), ("c", "Closed")], widget=forms.RadioSelect)
    notes = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), required=False)
    is_public = forms.BooleanField(label="Show it on the board", required=False)


@dataclass(frozen=True, slots=True)
class Theme:
    """Ids on a page are those of one theme."""

    name: str
    form: PartsForm
    refused: PartsForm


def design_page() -> dict[str, Any]:
    """`board` is drawn of a board of this site; None while none has an entry."""
    tokens = Path(str(finders.find("css/tokens.css"))).read_text()
    lengths = tuple(dict.fromkeys(LENGTH.findall(tokens)))
    radar = draw_radar(
        label="Three series on five axes",
        axes=AXES,
        groups=("",),
        rings=("0", "25", "50", "75", "100"),
        series=SERIES,
    )
    readings = filter(None, first_readings(SHOWN).values())
    return {
        "themes": tuple(theme(name) for name in THEMES),
        "colours": tuple(dict.fromkeys(COLOUR.findall(tokens))),
        "sizes": tuple(name for name in lengths if name.startswith("size")),
        "spaces": tuple(name for name in lengths if name.startswith("space")),
        "radar": radar,
        "markers": tuple(marker(number) for number in range(1, SHOWN + 1)),
        "pager": Paginator(range(1_234), 100).page(2),
        "board": next((board_parts(reading) for reading in readings if reading.rows), None),
    }


def theme(name: str) -> Theme:
    return Theme(name, PartsForm(prefix=name), PartsForm({}, prefix=f"{name}-refused"))


def board_parts(reading: BoardReading) -> dict[str, Any]:
    ranking = reading.board.ranking
    ranked = [entry for entry in reading.rows if entry.rank]
    return {
        "lead": lead_figure(reading, ranking),
        "strip": score_strip(reading.metrics[ranking], ranked),
        "places": places_of(ranked, reading.counts.ranked_rows),
    }
