"""Numbers of an answer as digits, and those that it does not commit to taken out.

Word matching writes one to ten as digits, so that it finds 1 in "twenty-one" and 3 in "3.5", "2-3"
and "more than 3". Time grows with length alone.
"""

import re

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_VALUES = (
    {word: value for value, word in enumerate(_UNITS, 1)}
    | {word: value for value, word in enumerate(_TEENS, 10)}
    | {word: 10 * value for value, word in enumerate(_TENS, 2)}
)
_LARGE = {"dozen": 12, "hundred": 100, "thousand": 1_000, "million": 1_000_000}
_WORDS = re.compile(
    rf"(?<!\w)(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{'|'.join(_UNITS)}))?"
    rf"|(?P<small>{'|'.join((*_TEENS, *_UNITS))}))(?: (?P<large>{'|'.join(_LARGE)}))?(?!\w)",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBER = r"\d+(?:\.\d+)?"
_OPEN = re.compile(
    rf"(?<!\w)(?:{_NUMBER}(?:-|–| to | or ){_NUMBER}|between {_NUMBER} and {_NUMBER}"
    rf"|(?:more|fewer|less|greater|higher|lower|larger|smaller|other) than {_NUMBER}"
    r"|\d+\.\d+)(?!\w)"
    r"|(?<![\w)\]-])-\d+(?!\w)",
    re.IGNORECASE,
)


def whole_numbers(text: str) -> str:
    """The text with its whole numbers as digits, without ranges, limits, fractions and negative
    ones."""
    return _OPEN.sub(" ", _WORDS.sub(_digits, _THOUSANDS.sub("", text)))


def _digits(found: re.Match[str]) -> str:
    parts = (found[part] for part in ("tens", "unit", "small"))
    value = sum(_VALUES[part.lower()] for part in parts if part)
    return str(value * (_LARGE[found["large"].lower()] if found["large"] else 1))
