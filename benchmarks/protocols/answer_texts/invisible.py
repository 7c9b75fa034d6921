"""Characters that a page does not show, and markup that hides what it encloses.

A reader of an answer does not see them, a judge does. They are legitimate in emoji and in some
scripts, so they are noted at upload and never refused or removed.
"""

import re

_IGNORABLE = (  # Unicode's Default_Ignorable_Code_Point, and the marks of interlinear annotation
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_EMOJI = (
    "\u00a9\u00ae\u200d\u203c\u2049\u20e3\u2122\u2139\u2190-\u2bff\u3030\u303d\u3297\u3299\ufe0f"
    "\U0001f000-\U0001faff"
)
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003347f"
_INVISIBLE = re.compile(
    rf"(?!(?<=[{_EMOJI}#*0-9])\ufe0f)"  # the variation that makes a sign an emoji
    rf"(?!(?<=[{_EMOJI}])\u200d[{_EMOJI}])"  # what joins emoji
    # what joins and parts letters of scripts that join them
    rf"(?!(?<=[{_JOINING}])[\u200c\u200d])"
    # A mark of direction beside letters or signs of such a script, as keyboards set it; never two
    # in a row.
    rf"(?!(?<=[{_RIGHT_TO_LEFT}])[\u200e\u200f](?![{_IGNORABLE}]))"
    rf"(?!(?<![{_IGNORABLE}])[\u200e\u200f][{_RIGHT_TO_LEFT}])"
    rf"(?!(?<=[{_UNSPACED}])\u200b[{_UNSPACED}])"  # parts words where no blank does
    # A variant of an ideograph, one of the few there are of it.
    rf"(?!(?<=[{_HAN}])[\ufe00-\ufe02\U000e0100-\U000e011f](?![{_IGNORABLE}]))"
    rf"[{_IGNORABLE}]"
)
# Possessive, so that no run of blanks is walked more than once: a text of 20,000 characters took 16
# s.
_HIDDEN = re.compile(
    r"\\(?:text)?color\s*+(?:\[[^\]]{0,20}\]\s*+)?+\{\s*+(?:white|1(?:\s*+,\s*+1){2}|f{6})\s*+\}"
    r"|\\[hv]?phantom\s*+\{"
    r"|\bcolor\s*+[:=]\s*+[\"']?(?:white|#f{3}(?:f{3})?)\b|\bfont-size\s*+:\s*+0(?![.\d])"
    r"|\bdisplay\s*+:\s*+none\b|\bvisibility\s*+:\s*+hidden\b|\bopacity\s*+:\s*+0(?![.\d])|<!--",
    re.IGNORECASE,
)

FILLERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters by their Unicode category that look like a blank."""


INVISIBLE = _INVISIBLE.pattern
"""A pattern that browsers read, too: they look for the same characters while a text is written."""


_MAY_BE_INVISIBLE = re.compile(f"[{_IGNORABLE}]")
_MARKUP = ("\\", "<!--", "color", "font-size", "display", "visibility", "opacity")
"""One of these stands in whatever _HIDDEN finds."""
_AS_PATTERNS_READ = (("i\u0307", "i"), ("ı", "i"), ("ſ", "s"))
"""What is the same letter for a pattern without regard to case, and not in lower case."""


def hides_text(text: str) -> bool:
    """The patterns try each of their parts at each place, which takes milliseconds; that nearly no
    text can hold what they look for is seen in a fraction of one."""
    if _MAY_BE_INVISIBLE.search(text) and _INVISIBLE.search(text):
        return True
    plain = text.lower()
    for written, read in _AS_PATTERNS_READ:
        plain = plain.replace(written, read)
    return any(mark in plain for mark in _MARKUP) and bool(_HIDDEN.search(text))
