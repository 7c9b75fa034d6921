"""The table of bad inputs: what is sent, and what the site answers.

Cases about bytes are those of tests/protocols/files; the rest stands here. `python -m
tests.submissions.bad_inputs` writes docs/bad_inputs.md; test_bad_inputs.py drives the cases through
the API and holds the file against this table.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.protocols.files.corpus import cases
from tests.protocols.files.writing import Case
from tests.protocols.foreign.corpus import outline
from tests.site import PROJECT

PAGE = PROJECT / "docs" / "bad_inputs.md"
STATUS = {"type": 415, "size": 413}  # of a file's first problem; any other is 422
API = "tests/submissions/test_bad_inputs.py"
BODIES, SLOW = (
    "tests/leaderboard/middleware/test_request_bodies.py",
    "tests/deploy/test_slow_senders.py",
)
HEAD = """# Bad inputs

Written by `python -m tests.submissions.bad_inputs`; a test holds it against the cases, which are
driven through the API. "Problem" is the code in the refusal, which names line, column, what was
expected and what was found. Refused means: no row, no file, no place of the day, no call of a
judge; never a 5xx but for "busy, try again".

| case | what is sent | status | problem or note | test |
|---|---|---|---|---|
"""
FOREIGN = """
## Files of other programs

What kits and official evaluators write, and the template of a release in each kind of file: each as
it is, and each with what happens to files (re-ordered, cut off, renamed, packed, in another
encoding, with rows failed, missing, doubled or merged, columns renamed, cells too long). Read
means: with the answers of its source, word for word. Refused means: with the line, what was
expected and what was found. `tests/protocols/foreign/` makes and reads them all; `python -m
tests.protocols.foreign.corpus FOLDER` writes them.

"""


@dataclass(frozen=True)
class Line:
    """`told`: codes of problems of a refused file, of notes of an accepted one, else what happens
    in words."""

    number: int
    what: str
    status: str
    told: str
    test: str = API


TRANSPORT = (
    Line(5, "10 GiB by an honest Content-Length", "413", "not read", BODIES),
    Line(6, "chunks without a length, without end", "411", "not read", BODIES),
    Line(7, "a byte a second", "503 or 408", "cut off after a minute at most; pages go on", SLOW),
    Line(8, "connection cut within the body", "none", "nothing is stored", SLOW),
    Line(9, "two files", "422", "the field is named"),
    Line(10, "1,001 fields, or 101 files", "400", "too many parts"),
    Line(11, "no file", "422", "the field is named"),
    Line(12, "malformed boundary", "400", "the request is malformed"),
    Line(13, "no CSRF token", "403", "the form was too old"),
    Line(14, "the same request twice", "200", "the submission of the first"),
    Line(
        15,
        "two at once for the last place",
        "201 and 429",
        "quota",
        "tests/submissions/test_quota.py",
    ),
    Line(25, "good file, called text/html", "201", "accepted"),
    Line(37, "body packed with gzip", "422", "no field is found in it"),
)


def driven() -> tuple[Case, ...]:
    """Of each number a case for each outcome: 366 would take five minutes, and all are read by the
    readers' tests."""
    first: dict[tuple[int, str, tuple[str, ...]], Case] = {}
    for case in cases():
        first.setdefault((case.number, case.code, case.notes), case)
    return tuple(first.values())


# Names that HTTP does not bring as they are: a part's head may have 1,024 bytes, and control
# characters go.
BY_HTTP = {
    (17, "a NUL in the name"): (415, "type"),
    (19, f"named {'a' * 40!a}"): (400, ""),
    (23, "named 'a\\r\\nSet-Cookie: x.csv'"): (415, "type"),
}


def expected_code(case: Case) -> str:
    return BY_HTTP.get((case.number, case.name), (0, case.code))[1]


def expected_status(case: Case) -> int:
    if found := BY_HTTP.get((case.number, case.name)):
        return found[0]
    return STATUS.get(case.code, 422) if case.code else 201


def lines() -> Iterator[Line]:
    for case in driven():
        status = expected_status(case)
        told = expected_code(case) or ", ".join(case.notes)
        told = told or ("accepted word for word" if status == 201 else "the request is malformed")
        yield Line(case.number, case.name, str(status), told)
    yield from TRANSPORT


def page() -> str:
    rows = sorted(lines(), key=lambda line: line.number)
    cases = "".join(
        f"| {row.number} | {escaped(row.what)} | {row.status} | {row.told} | `{row.test}` |\n"
        for row in rows
    )
    return f"{HEAD}{cases}{FOREIGN}{outline()}\n"


def escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
