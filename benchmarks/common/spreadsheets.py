"""CSV files as spreadsheets read them, and text that does nothing there."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence

FORMULA_SIGNS = ("=", "+", "-", "@", "\N{MINUS SIGN}", "\t")
LINE_END = re.compile("(\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029])")


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Lines end with CR LF, as RFC 4180 has it. The writer quotes what holds a character of its
    line end: with LF alone a lone CR in a name would stand unquoted and begin a line of its own."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return out.getvalue()


def inert(text: str) -> str:
    """Text of which no line is run as a formula: an apostrophe stands before each sign that would
    begin one, and before a line end at the very start, which some programs drop."""
    lines = "".join(f"'{part}" if begins_formula(part) else part for part in LINE_END.split(text))
    return f"'{lines}" if LINE_END.match(lines) else lines


def begins_formula(line: str) -> bool:
    """In any width, a full-width = as well, and behind blanks."""
    start = unicodedata.normalize("NFKC", line.lstrip(" \u00a0\u3000")[:1])
    return start.startswith(FORMULA_SIGNS)
