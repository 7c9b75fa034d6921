"""Hand answers in to an Assay leaderboard, and read its boards.

    from assay import Site

    site = Site("https://assay.example.org", token="assay_…")
    submission = site.submit("answers.csv", model="My model", release="hallusionbench-mini")
    print(site.wait(submission["id"])["state"])

`python -m assay --help` does the same on the command line.
"""

from assay.errors import (
    AssayError,
    FileRefusedError,
    NoPlaceError,
    NotAllowedError,
    NotInTimeError,
    SiteAwayError,
    WrongRequestError,
)
from assay.site import Document, Site

__all__ = [
    "AssayError",
    "Document",
    "FileRefusedError",
    "NoPlaceError",
    "NotAllowedError",
    "NotInTimeError",
    "Site",
    "SiteAwayError",
    "WrongRequestError",
]
