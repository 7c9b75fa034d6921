"""A badge: what a README shows of an entry, as one small SVG."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

HEIGHT = 20
PADDING = 8
WIDTHS = {"narrow": 4.1, "usual": 6.7, "wide": 10.2}
"""Of letters in pixels at 11 px of a usual sans: measured of DejaVu Sans, the widest that pages
fall back to."""
NARROW, WIDE = frozenset("fijlrtI.,:;'|!()[] -"), frozenset("mwMW@%")
MOST_LETTERS = 60
"""Of a name on a badge: more does not fit beside a title."""


def letter_width(letter: str) -> float:
    if letter in NARROW:
        return WIDTHS["narrow"]
    is_wide = letter in WIDE or ord(letter) > 0x2E7F  # Chinese, Japanese, Korean
    return WIDTHS["wide" if is_wide else "usual"]


def width(text: str) -> int:
    return round(sum(map(letter_width, text))) + 2 * PADDING


def badge(label: str, value: str) -> SafeString:
    """Two fields beside each other; the text is the title as well, for who hears it."""
    label = label if len(label) <= MOST_LETTERS else label[: MOST_LETTERS - 1] + "…"
    left, right = width(label), width(value)
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" width="{all}" height="{height}" role="img"'
        ' aria-label="{label}: {value}"><title>{label}: {value}</title>'
        '<rect width="{all}" height="{height}" rx="3" fill="#1c1b19"/>'
        '<path d="M{left} 0h{rest}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z" fill="#0b5e57"/>'
        '<g fill="#fff" text-anchor="middle" font-size="11"'
        ' font-family="Verdana,DejaVu Sans,sans-serif">'
        '<text x="{x}" y="14">{label}</text><text x="{y}" y="14">{value}</text></g></svg>',
        all=left + right,
        height=HEIGHT,
        label=label,
        value=value,
        left=left,
        rest=right - 3,
        x=f"{left / 2:g}",
        y=f"{left + right / 2:g}",
    )
