"""Content words of a text, the only thing the offline rules look at.

Words are lower-case runs of letters and digits without a plural s and without the little words of
English. Scripts written without blanks have no such words: of Han, Hiragana, Katakana and Hangul
every pair of neighbours counts.
"""

import re
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")
_LITTLE_WORDS = frozenset(
    """
    a about above after all also although an and another any are around as at be because been
    before behind being below beside between both but by can could did do does each either else
    few for from had has have having he her here hers him his how however i if in inside into is
    it its itself just like many may me might more most much my near no nor not of off on one only
    onto or other our out outside over own perhaps quite rather same several she should so some
    such than that the their them then there these they this those though through to too toward
    towards two under until up upon us very was we were what when where which while who whom whose
    why will with within without would you your image picture photo photograph drawing shows show
    showing seen see depicts there's it's
    """.split()  # noqa: SIM905 - a list of words reads better than a list of strings
)


_KEPT, _LONGEST = 4096, 1000
"""Words are kept of so many texts of so many characters: references and descriptions stand beside
every answer, in both orders. 16 MB at most; of the longest answers they would be 800."""


def content_words(text: str) -> frozenset[str]:
    """The distinct content words of a text, "The cats sat." -> {"cat", "sat"}, "红色的" -> {"红色",
    "色的"}."""
    return _kept_words(text) if len(text) <= _LONGEST else _words(text)


def _words(text: str) -> frozenset[str]:
    found: set[str] = set()
    for run in _RUN.findall(text.casefold()):
        if _IS_CJK.match(run):
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        elif run not in _LITTLE_WORDS:
            found.add(run if len(run) <= 3 or run.endswith("ss") else run.removesuffix("s"))
    return frozenset(found)


_kept_words = lru_cache(maxsize=_KEPT)(_words)
