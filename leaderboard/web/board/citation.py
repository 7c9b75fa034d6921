"""How a board is cited: a link that shows the same for good, and what BibTeX wants to know."""

from typing import Any

from leaderboard.results.selectors import BoardReading
from leaderboard.web.board.choices import Query, query_url


def citation(reading: BoardReading, query: Query, address: str, site: str) -> dict[str, Any] | None:
    """`url` has every choice of the reader, `bibtex` is an entry of some lines. None where what is
    shown is kept by no snapshot yet. address: of the board, absolute."""
    kept = reading.snapshot or reading.newest
    if kept is None or reading.as_of is not None or reading.era is None:
        return None
    # The snapshot says of which release and judge it is.
    named = {**query, "release": "", "judge": "", "as_of": "", "snapshot": kept.name}
    url = f"{address}{query_url(named)}"
    era = reading.era
    fields = {
        "title": f"{{{reading.benchmark.title}: board of {era.release.title}, judged by "
        f"{era.judge_spec.slug}}}",
        "howpublished": f"\\url{{{url}}}",
        "year": f"{kept.taken:%Y}",
        "month": f"{kept.taken:%b}".lower(),
        "note": f"{site}. As of {kept.taken:%Y-%m-%d %H:%M} UTC, texts edition "
        f"{kept.content_number}, SHA-256 {kept.digest}",
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    key = f"{reading.benchmark.slug}-{kept.name}"
    bibtex = "\n".join([f"@misc{{{key},", *lines, "}"])
    return {"url": url, "snapshot": kept, "bibtex": bibtex}
