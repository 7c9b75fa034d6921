"""Which pages and documents are the same for everybody who is not signed in, by URL name, and which
parameters of an address they read.

What stands here is made of a request without cookies and without any header of its visitor, and is
shown to others. Everything else is made for each request.
"""

from collections.abc import Sequence
from dataclasses import dataclass

SECONDS = 60
"""How long a page is shown before it is made anew though nothing was counted that changes it:
triggers count whatever may be withdrawn, hidden or renamed (`versions/changes.py`), and not each
reply of a judge or each number of a record."""
STATE_SECONDS = 5
"""Of pages that tell what goes on right now."""


@dataclass(frozen=True, slots=True)
class SharedPage:
    """parameters: those that the page reads; others are dropped before it is made. None where it
    reads all, for it refuses those that it does not know."""

    parameters: Sequence[str] | None = ()
    seconds: int = SECONDS


ERA = ("judge", "release")
BOARD = (
    *ERA,
    "as_of",
    "columns",
    "m",
    "measure",
    "open",
    "order",
    "org",
    "page",
    "published",
    "q",
    "ranges",
    "size",
    "snapshot",
    "sort",
    "table",
    "verified",
)
API = SharedPage(None)

SHARED_PAGES = {
    "home": SharedPage(),
    "board": SharedPage(BOARD),
    "board-card": SharedPage(),
    "board-chart": SharedPage(BOARD),
    "board-feed": SharedPage(),
    "board-history": SharedPage((*ERA, "page")),
    "board-matrix": SharedPage((*ERA, "page", "subtask")),
    "board-questions": SharedPage((*ERA, "page", "sort", "subtask")),
    "embedded-board": SharedPage(BOARD),
    "compare": SharedPage((*ERA, "benchmark", "lost", "m", "page", "q", "won")),
    "models": SharedPage(("page", "q", "sort")),
    "model": SharedPage(("page",)),
    "entry": SharedPage(("judge", "outcome", "page", "subtask")),
    "entry-badge": SharedPage(("judge",)),
    "entry-card": SharedPage(("judge",)),
    "entry-eval-results": SharedPage(("judge",)),
    "entry-every-eval-ever": SharedPage(("judge",)),
    "question": SharedPage((*ERA, "page")),
    "releases": SharedPage(),
    "release": SharedPage(),
    "release-croissant": SharedPage(),
    "release-example": SharedPage(),
    "release-template": SharedPage(),
    "team": SharedPage(),
    "judges": SharedPage(),
    "judge": SharedPage(),
    "studies": SharedPage(),
    "study": SharedPage(("judge",)),
    "study-file": SharedPage(),
    "method": SharedPage(),
    "guides": SharedPage(),
    "public-guide": SharedPage(),
    "search": SharedPage(("q",)),
    "search-suggest": SharedPage(("q",)),
    "status": SharedPage(seconds=STATE_SECONDS),
    "status-json": SharedPage(seconds=STATE_SECONDS),
    "robots": SharedPage(),
    "sitemap": SharedPage(),
    "django.contrib.sitemaps.views.sitemap": SharedPage(("p",)),
    "api-docs": SharedPage(),
    "api-schema": API,
    "api-benchmarks": API,
    "api-benchmark": API,
    "api-boards": API,
    "api-board": API,
    "api-entries": API,
    "api-entry": API,
    "api-judges": API,
    "api-judge": API,
    "api-models": API,
    "api-model": API,
    "api-releases": API,
    "api-release": API,
    "api-release-questions": API,
    "api-studies": API,
}
