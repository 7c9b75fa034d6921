"""A site and what it is asked, over its API."""

import csv
import io
import random
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import httpx2

from assay.answers import NotPlainError, problems_of
from assay.errors import (
    AssayError,
    FileRefusedError,
    NoPlaceError,
    NotAllowedError,
    NotInTimeError,
    SiteAwayError,
    WrongRequestError,
)
from assay.resuming import key_for

Document = dict[str, Any]
Progress = Callable[[int, int], None]
"""Told of bytes sent, and of how many there are."""

TIMEOUT_SECONDS = 60.0
"""Of one request: a file of 20 MiB is read within ten on a site that is not busy."""
PATIENCE_SECONDS = 120.0
"""For how long a site that does not answer is asked again: longer than one needs to restart."""
UNREACHED_SECONDS = 5.0
"""For how long an address at which nothing has answered yet is asked again: it may be mistyped."""
CONNECT_SECONDS = 10.0
LONGEST_WAIT_SECONDS = 30.0
NOT_REACHED = (httpx2.ConnectError, httpx2.ConnectTimeout)
NEVER_SENT = (httpx2.LocalProtocolError, httpx2.UnsupportedProtocol)
"""What is wrong with a request itself, however often it is made."""
PASSING = frozenset({429, 502, 503, 504})
REFUSED_FILE = frozenset({413, 415, 422})
NOT_ALLOWED = frozenset({401, 403})
FINISHED = frozenset({"judged", "withdrawn", "paused", "to confirm"})
"""States of a submission that waiting does not end."""
POLL_SECONDS = (0.5, 10.0)


class Site:
    """An Assay site by its address, `https://assay.example.org`, and a token of yours for what is
    not public. Use as a context manager, or `close` it."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
        transport: httpx2.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        waiting: Callable[[str, float], None] | None = None,
    ):
        """`waiting` is told why the site is asked again, and for how many seconds at most. Raises
        WrongRequestError of an address, and NotAllowedError of a token, that nothing can be sent
        with."""
        self.url = address_of(url)
        token = token_of(token or "")
        self.has_token = bool(token)
        self.patience_seconds = patience_seconds
        self._sleep, self._clock = sleep, clock
        self._waiting = waiting
        self._was_reached = False
        headers = {"User-Agent": "assay-python/0.1.0"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._http = httpx2.Client(
            base_url=f"{self.url}/api/v1/",
            headers=headers,
            timeout=httpx2.Timeout(TIMEOUT_SECONDS, connect=CONNECT_SECONDS),
            transport=transport,
        )

    def __enter__(self) -> "Site":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    # --- what anybody may read --------------------------------------------------------------------

    def benchmarks(self) -> list[Document]:
        return list_of(self._get("benchmarks/"))

    def releases(self) -> Iterator[Document]:
        return self._pages("releases/")

    def questions(self, release: str) -> Iterator[Document]:
        """What a model is asked, in the order of the file."""
        return self._pages(f"releases/{quote(release, safe='')}/questions/")

    def template(self, release: str) -> str:
        """CSV with the id of every question, to be filled with predictions."""
        document = self._document(self._get(f"releases/{quote(release, safe='')}/"))
        return self._get(document["links"]["template"]).text

    def question_ids(self, release: str) -> list[str]:
        """In the order of the release."""
        rows = csv.reader(io.StringIO(self.template(release), newline=""))
        return [cells[0] for cells in rows][1:]

    def models(self, search: str = "") -> Iterator[Document]:
        return self._pages("models/", {"q": search} if search else {})

    def judges(self) -> Iterator[Document]:
        return self._pages("judges/")

    def board(self, benchmark: str, **filters: str) -> Document:
        """The board with all its entries. `filters` as the API has them: release, judge, measure,
        q, as_of, …"""
        path = f"boards/{quote(benchmark, safe='')}/"
        board = self._document(self._get(path, params=filters))
        following = board["next"]
        while following:
            part = self._document(self._get(following))
            board["entries"] += part["entries"]
            following = part["next"]
        return {**board, "next": None}

    def entry(self, submission_id: str) -> Document:
        return self._document(self._get(f"entries/{quote(submission_id, safe='')}/"))

    def verdict_lines(self, submission_id: str) -> Iterator[str]:
        """A JSON object a line, as they come."""
        path = f"entries/{quote(submission_id, safe='')}/verdicts/"
        try:
            with self._http.stream("GET", path) as response:
                if response.status_code >= 300:
                    response.read()
                    raise error_of(response)
                yield from response.iter_lines()
        except httpx2.TransportError as error:
            raise SiteAwayError(f"{self.url} stopped answering: {error}") from None

    # --- handing in -------------------------------------------------------------------------------

    def check(
        self, path: str | Path, *, model: str = "check", release: str = "", team: str = ""
    ) -> Document:
        """What the site would make of the file, which is stored nowhere: notes, estimate, and
        whether there is a place for it. Raises FileRefusedError."""
        named = {"release": release, "team": team}
        form = {"model": model, "validate_only": "true"}
        form |= {name: text for name, text in named.items() if text}
        return self._document(self._send(Path(path), form, {}))

    def check_locally(self, path: str | Path, *, release: str = "") -> list[str] | None:
        """What is wrong with a plain file, found without sending it; None where only the site can
        tell."""
        try:
            return problems_of(Path(path), self.question_ids(release) if release else None)
        except NotPlainError:
            return None

    def submit(
        self,
        path: str | Path,
        *,
        model: str = "",
        release: str = "",
        replaces: str = "",
        again: bool = False,
        on_progress: Progress | None = None,
        **facts: str,
    ) -> Document:
        """The submission that the site made of the file. Sent again, after a lost connection or by
        a script that is run twice, the same file is the same submission, unless `again`.

        Without a release the site tells by the ids which it is. `facts` as the API has them:
        organisation, link, open_weights, visibility, team, … `replaces`: the id of an earlier
        submission of yours whose place it takes once it is judged and public; it is then of its
        model and release. Raises FileRefusedError, NoPlaceError.
        """
        if replaces:
            old = self.watch(replaces)
            model, release = model or old["model"], release or old["release"]
            facts = {**facts, "replaces": replaces}
        form = {"model": model, **({"release": release} if release else {}), **facts}
        key = key_for(Path(path), self.url, form, again=again)
        return self._document(self._send(Path(path), form, {"Idempotency-Key": key}, on_progress))

    def submissions(self) -> Iterator[Document]:
        """Your own, newest first."""
        return self._pages("submissions/")

    def watch(self, submission_id: str) -> Document:
        """How far it is."""
        return self._document(self._get(f"submissions/{quote(submission_id, safe='')}/"))

    def wait(
        self,
        submission_id: str,
        *,
        timeout_seconds: float = 3600.0,
        on_progress: Callable[[Document], None] | None = None,
    ) -> Document:
        """The submission once it is judged, withdrawn, paused or has to be confirmed. `on_progress`
        is called with every answer of the site. Raises NotInTimeError."""
        end = self._clock() + timeout_seconds
        pause, longest = POLL_SECONDS
        while True:
            found = self.watch(submission_id)
            if on_progress:
                on_progress(found)
            if found["state"] in FINISHED:
                return found
            if self._clock() + pause > end:
                raise NotInTimeError(
                    f"It is not judged after {timeout_seconds:g} s: {found['sentence']}"
                )
            self._sleep(pause)
            pause = min(pause * 1.5, longest)

    def publish(self, submission_id: str) -> Document:
        return self._change(submission_id, "publish")

    def make_private(self, submission_id: str) -> Document:
        return self._change(submission_id, "make-private")

    def withdraw(self, submission_id: str, *, reason: str = "") -> Document:
        """For good: it leaves every board. The reason is public where the submission was."""
        return self._change(submission_id, "withdraw", {"reason": reason})

    def retry(self, submission_id: str, *, judge: str = "") -> Document:
        """What a judge, or any, ended without a verdict is asked again, and may be paid again."""
        return self._change(submission_id, "retry", {"judge": judge})

    # --- requests ---------------------------------------------------------------------------------

    def _change(
        self, submission_id: str, what: str, fields: Mapping[str, str] | None = None
    ) -> Document:
        path = f"submissions/{quote(submission_id, safe='')}/{what}/"
        return self._document(self._asked(lambda: self._http.post(path, json=fields)))

    @staticmethod
    def _document(response: httpx2.Response) -> Document:
        """Raises SiteAwayError where what answered is no site of ours."""
        if not (document := document_of(response)):
            raise foreign(response)
        return document

    def _get(self, path: str, params: Mapping[str, str] | None = None) -> httpx2.Response:
        """`path`, or an address that the site itself told. Raises SiteAwayError where that leads
        elsewhere: the token is for this site."""
        if "://" in path and httpx2.URL(path).host != httpx2.URL(self.url).host:
            raise SiteAwayError(f"{self.url} leads to another host: {path}")
        return self._asked(lambda: self._http.get(path, params=params or None))

    def _pages(self, path: str, params: Mapping[str, str] | None = None) -> Iterator[Document]:
        following: str | None = path
        while following:
            page = self._document(answer := self._get(following, params))
            if "results" not in page:
                raise foreign(answer)
            yield from page["results"]
            following, params = page.get("next"), None

    def _send(
        self,
        path: Path,
        form: Mapping[str, str],
        headers: Mapping[str, str],
        on_progress: Progress | None = None,
    ) -> httpx2.Response:
        def send() -> httpx2.Response:
            with path.open("rb") as file:
                sent = CountedFile(file, path.stat().st_size, on_progress)
                return self._http.post(
                    "submissions/",
                    data=dict(form),
                    files={"file": (path.name, sent)},  # type: ignore[dict-item]  # has what is read
                    headers=headers,
                )

        return self._asked(send)

    def _away(self, error: httpx2.TransportError) -> tuple[SiteAwayError, float]:
        """What is said of it, and for how many seconds the site is asked again."""
        self._was_reached = self._was_reached or not isinstance(error, NOT_REACHED)
        message = f"{self.url} does not answer: {error}."
        if self._was_reached:
            return SiteAwayError(message), self.patience_seconds
        message += " Is it the right address, and port?"
        return SiteAwayError(message), min(self.patience_seconds, UNREACHED_SECONDS)

    def _asked(self, ask: Callable[[], httpx2.Response]) -> httpx2.Response:
        """The answer, asked for again as long as there is patience where none comes or the site
        says that it is busy. Only what may be asked twice is asked so. Raises AssayError."""
        start, wait = self._clock(), 1.0
        while True:
            end = start + self.patience_seconds
            try:
                response = ask()
            except NEVER_SENT as error:
                raise WrongRequestError(f"{self.url} cannot be asked: {error}") from None
            except httpx2.TransportError as error:
                refusal: AssayError
                refusal, patience = self._away(error)
                end = start + patience
            else:
                self._was_reached = True
                if response.status_code < 300:
                    return response
                refusal = error_of(response)
                if not is_passing(response):
                    raise refusal
                wait = max(wait, retry_after_seconds(response))
            # Scripts cut off together must not come back together; nothing secret depends on it.
            spread = random.uniform(0.75, 1.25)  # noqa: S311 # nosec B311
            pause = wait * spread
            if self._clock() + pause > end:
                raise refusal
            if self._waiting:
                self._waiting(str(refusal), end - self._clock())
            self._sleep(pause)
            wait = min(wait * 2, LONGEST_WAIT_SECONDS)


class CountedFile:
    """A file that tells how much of it was read."""

    def __init__(self, file: IO[bytes], size: int, on_progress: Progress | None):
        self._file, self._size, self._on_progress = file, size, on_progress

    def read(self, count: int = -1) -> bytes:
        part = self._file.read(count)
        if self._on_progress:
            self._on_progress(self._file.tell(), self._size)
        return part

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def address_of(url: str) -> str:
    """Of a site, as it can be asked. Raises WrongRequestError."""
    try:
        parts = httpx2.URL(url.strip().rstrip("/"))
    except httpx2.InvalidURL:
        parts = httpx2.URL("")
    is_whole = parts.scheme in ("http", "https") and parts.host and " " not in url.strip()
    if not is_whole or parts.query or parts.fragment:
        raise WrongRequestError(
            f"“{url}” is no address of a site, as https://assay.example.org is."
        )
    return str(parts).rstrip("/")


def token_of(text: str) -> str:
    """Without the blanks and line ends that come with pasting. Raises NotAllowedError, which does
    not repeat what may be most of a token."""
    token = text.strip()
    if not all("!" <= character <= "~" for character in token):
        raise NotAllowedError("The token holds characters that no token has. Paste it anew.")
    return token


def list_of(response: httpx2.Response) -> list[Document]:
    """Raises SiteAwayError of anything but a list."""
    try:
        found = response.json()
    except ValueError:
        found = None
    if not isinstance(found, list):
        raise foreign(response)
    return found


def foreign(response: httpx2.Response) -> SiteAwayError:
    return SiteAwayError(f"{response.request.url} did not answer as an Assay site does.")


def is_passing(response: httpx2.Response) -> bool:
    """Whether the same request may be answered in a minute. A place that is taken is not."""
    if response.status_code != 429:
        return response.status_code in PASSING
    return "next_place" not in document_of(response) and retry_after_seconds(response) <= 30


def retry_after_seconds(response: httpx2.Response) -> float:
    header = response.headers.get("Retry-After", "")
    return float(header) if header.isascii() and header.isdigit() and len(header) < 10 else 0.0


def document_of(response: httpx2.Response) -> Document:
    try:
        found = response.json()
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def error_of(response: httpx2.Response) -> AssayError:
    status, document = response.status_code, document_of(response)
    if status < 400:
        leads = response.headers.get("Location") or "elsewhere"
        return WrongRequestError(f"{response.request.url} leads to {leads}; name that site.")
    message = document.get("detail") or f"{response.request.url} answered {status}."
    for name, sentences in document.get("errors", {}).items():
        message += "".join(f"\n{name}: {sentence}" for sentence in sentences)
    if document.get("problems") and status in REFUSED_FILE:
        return FileRefusedError(message, sentences_of(document), document)
    if status == 429:
        return NoPlaceError(message, document)
    if status in NOT_ALLOWED:
        return NotAllowedError(message, document)
    kind = WrongRequestError if status < 500 else SiteAwayError
    return kind(message, document)


def sentences_of(document: Document) -> list[str]:
    """The problems of a file: where, what, what was expected and what was found."""
    found = []
    for problem in document["problems"]:
        line = f"Line {problem['line']:,}" if problem.get("line") else ""
        where = ", ".join(filter(None, (line, problem.get("record"), problem.get("column"))))
        names = ("expected", "found")
        details = "; ".join(f"{name}: {problem[name]}" for name in names if problem.get(name))
        sentence = f"{problem['message']} ({details})" if details else problem["message"]
        found.append(f"{where}: {sentence}" if where else sentence)
    if (count := document.get("problem_count", 0)) > len(found):
        found.append(f"… and {count - len(found):,} more; all are at {document.get('report', '')}")
    return found
