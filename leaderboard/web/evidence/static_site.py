"""The public site as files that open from a disk, as a visitor without an account sees it.

Pages are asked for as a browser does, from the home page on, and each that is linked is asked for
in turn: what nobody could reach is not in it. Searches, sort orders and choices of entries have no
end and are left out; tabs, eras and pages of lists are in it.
"""

import hashlib
import os
import re
import shutil
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, unquote, urlencode, urljoin, urlsplit

from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import Resolver404, resolve

from leaderboard.web.evidence.static_markup import static_markup

KEPT = {
    "board": {"release", "judge", "table", "measure", "ranges", "page"},
    "entry": {"judge", "page"},
    "judge": set(),
    "model": set(),
    "models": {"page"},
    "question": {"release", "judge", "page"},
    "board-questions": {"release", "judge", "subtask", "page"},
    "board-matrix": {"release", "judge", "subtask", "page"},
    "board-history": {"release", "judge", "page"},
    "home": set(),
    "judges": set(),
    "board-judges": set(),
    "method": set(),
    "guides": set(),
    "public-guide": set(),
    "release": set(),
    "releases": set(),
    "status": set(),
    "studies": set(),
    "study": set(),
}
"""By the name of an address, which parts of a query lead to another page of the copy. Other pages
are only on the site."""
FILES = {
    "figure-image",
    "figure-rendition",
    "board-chart",
    "entry-badge",
    "board-export",
    "board-evidence",
    "entry-answers",
    "entry-eval-results",
    "entry-every-eval-ever",
    "release-archive",
    "release-example",
    "release-croissant",
    "release-template",
    "study-file",
}
"""Addresses that answer with a file."""
FILE_QUERY = {"release", "judge", "measure", "table", "ranges"}
SUFFIXES = {
    "text/html": ".html",
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/webp": ".webp",
    "image/gif": ".gif",
    "image/svg+xml": ".svg",
}
STATIC_LEFT_OUT = ("admin", "rest_framework", "js", "drf_spectacular_sidecar")
MOST_PAGES = 200_000
"""Ten thousand entries of ten pages of questions are half of it; beyond, something is endless."""
STRANGE = re.compile(r"[^a-zA-Z0-9._-]")

Advance = Callable[[int], object]


class TooManyPagesError(Exception):
    """There is no end of pages; what was written is not whole."""


@dataclass
class StaticSite:
    """Pages below `folder`. base_url: of the site itself, to which links lead that the copy
    does not have; without one they lead nowhere, and say so."""

    folder: Path
    base_url: str = ""
    advance: Advance = lambda pages: None
    client: Client = field(default_factory=Client)
    waiting: "deque[tuple[str, str]]" = field(default_factory=deque)
    names: dict[str, str | None] = field(default_factory=dict)
    unanswered: list[str] = field(default_factory=list)
    """Addresses that the site has and did not answer, each with its status."""
    pages: int = 0

    def write(self) -> int:
        """Every page that is reached from the home page; how many. Raises TooManyPagesError."""
        self.copy_static()
        self.place("/")
        while self.waiting:
            address, name = self.waiting.popleft()
            target = self.folder / name
            text = self.page(address, name, target.read_text(encoding="utf-8"))
            target.write_text(text, encoding="utf-8")
            self.pages += 1
            self.advance(1)
            if self.pages > MOST_PAGES:
                raise TooManyPagesError(f"The site has more than {MOST_PAGES:,} pages.")
        return self.pages

    def page(self, address: str, name: str, text: str) -> str:
        return static_markup(text, lambda link: self.link(address, name, link))

    def link(self, address: str, name: str, link: str) -> str | None:
        """The link of a page, as its copy has it."""
        if link.startswith(("#", "mailto:", "data:")):
            return link
        parts = urlsplit(urljoin(f"https://{host()}{address}", link))
        if parts.netloc != host():
            return link
        target = self.place(parts.path + (f"?{parts.query}" if parts.query else ""))
        if target is None:
            there = f"{self.base_url.rstrip('/')}{parts.path}"
            return f"{there}{'?' + parts.query if parts.query else ''}" if self.base_url else None
        relative = os.path.relpath(target, PurePosixPath(name).parent)
        return f"{relative}{'#' + parts.fragment if parts.fragment else ''}"

    def place(self, link: str) -> str | None:
        """The file of an address of the site, asked for if it is met for the first time; None where
        the copy has none."""
        path, _, query = link.partition("?")
        if path.startswith(static_prefix()):
            return static_name(path)
        kept = kept_query(path, query)
        if kept is None:
            return None
        address = f"{path}?{kept}" if kept else path
        if address not in self.names:
            self.names[address] = self.fetched(address, path, kept)
        return self.names[address]

    def fetched(self, address: str, path: str, query: str) -> str | None:
        """The file in which the answer is; a page waits there for its links to be followed."""
        secure = bool(getattr(settings, "SECURE_SSL_REDIRECT", False))
        answer = self.client.get(address, headers={"host": host()}, secure=secure)
        if answer.status_code == 429 or answer.status_code >= 500:
            self.unanswered.append(f"{address} ({answer.status_code})")
        if answer.status_code != 200:
            return None
        kind = answer.headers["Content-Type"].partition(";")[0]
        name = file_name(path, query, kind)
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            for piece in answer if answer.streaming else [answer.content]:
                file.write(piece)
        if kind == "text/html":
            self.waiting.append((address, name))
        return name

    def copy_static(self) -> None:
        left_out = shutil.ignore_patterns("*.gz", "*.br", "*.map", *STATIC_LEFT_OUT)
        root = Path(settings.STATIC_ROOT)
        sources = [("", root)] if root.is_dir() else settings.STATICFILES_DIRS
        for source in sources:
            below, folder = source if isinstance(source, tuple) else ("", source)
            target = self.folder / "static" / below
            shutil.copytree(folder, target, ignore=left_out, dirs_exist_ok=True)


def static_prefix() -> str:
    return "/" + settings.STATIC_URL.strip("/") + "/"


def static_name(path: str) -> str | None:
    name = unquote(path.removeprefix(static_prefix()))
    root = Path(settings.STATIC_ROOT) / name
    return f"static/{name}" if root.is_file() or finders.find(name) else None


def host() -> str:
    """A name by which the site answers; of one that answers to all of a domain, one of these."""
    found = next((name for name in settings.ALLOWED_HOSTS if name != "*"), "localhost")
    return f"copy{found}" if found.startswith(".") else str(found)


def kept_query(path: str, query: str) -> str | None:
    """What of a query tells one page of the copy from another, in order; None where the address is
    not in the copy."""
    try:
        found = resolve(path).url_name or ""
    except Resolver404:
        return None
    keys = KEPT.get(found, FILE_QUERY if found in FILES else None)
    if keys is None:
        return None
    given = parse_qsl(query)
    if any(value and key not in keys for key, value in given):
        return None
    return urlencode(sorted((key, value) for key, value in given if value))


def file_name(path: str, query: str, kind: str) -> str:
    """Below the folder, by the path of the address; one with a query has a digest of it in its
    name. No letter is in it that a disk may not like."""
    parts = [STRANGE.sub("_", unquote(part)) for part in path.strip("/").split("/") if part]
    digest = f"-{hashlib.sha256(query.encode()).hexdigest()[:10]}" if query else ""
    if kind == "text/html":
        return "/".join([*parts, f"index{digest}.html"])
    stem, dot, suffix = (parts[-1] if parts else "file").rpartition(".")
    last = f"{stem}{digest}.{suffix}" if dot else f"{suffix}{digest}{SUFFIXES.get(kind, '')}"
    # a picture has the address of a folder: "figures/7/"
    return "/".join([*parts[:-1], last])
