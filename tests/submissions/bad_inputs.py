"""The table of bad inputs: what is sent, and what the site answers.

Cases about bytes are those of tests/protocols/files; the rest stands here. `python -m
tests.submissions.bad_inputs` writes docs/developer/bad_inputs.md; test_bad_inputs.py drives the
cases through the API and holds the file against this table.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.protocols.files.corpus import cases
from tests.protocols.files.writing import Case
from tests.protocols.foreign.corpus import outline
from tests.site import PROJECT

PAGE = PROJECT / "docs/developer/bad_inputs.md"
STATUS = {"type": 415, "size": 413}  # of a file's first problem; any other is 422
API = "tests/submissions/test_bad_inputs.py"
FILES = f"{API}::test_a_bad_file_has_the_status_of_the_table"
REQUESTS = f"{API}::test_a_bad_request_has_the_status_of_the_table"
BODIES, SLOW = (
    "tests/leaderboard/project/middleware/test_request_bodies.py",
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
    in words. `test`: its file and function."""

    number: int
    what: str
    status: str
    told: str
    test: str = FILES


TRANSPORT = (
    Line(
        5,
        "10 GiB by an honest Content-Length",
        "413",
        "not read",
        f"{BODIES}::test_a_body_beyond_every_limit_or_of_no_length_is_refused_unread",
    ),
    Line(
        6,
        "chunks without a length, without end",
        "411",
        "not read",
        f"{BODIES}::test_a_body_beyond_every_limit_or_of_no_length_is_refused_unread",
    ),
    Line(
        7,
        "a byte a second",
        "503 or 408",
        "cut off after a minute at most; pages go on",
        f"{SLOW}::test_fifty_slow_senders_do_not_hold_up_a_page",
    ),
    Line(
        8,
        "connection cut within the body",
        "none",
        "nothing is stored",
        f"{SLOW}::test_a_body_cut_in_the_middle_stores_nothing",
    ),
    Line(9, "two files", "422", "the field is named", REQUESTS),
    Line(10, "1,001 fields, or 101 files", "400", "too many parts", REQUESTS),
    Line(11, "no file", "422", "the field is named", REQUESTS),
    Line(12, "malformed boundary", "400", "the request is malformed", REQUESTS),
    Line(13, "no CSRF token", "403", "the form was too old", REQUESTS),
    Line(14, "the same request twice", "200", "the submission of the first", REQUESTS),
    Line(
        14,
        "one file from two tabs at once",
        "302",
        "the draft of the first",
        "tests/submissions/test_handing_in.py"
        "::test_two_tabs_that_send_one_file_at_once_have_one_draft",
    ),
    Line(
        15,
        "two at once for the last place",
        "201 and 429",
        "quota",
        "tests/submissions/intake/test_quota.py::test_of_two_who_race_for_the_last_place_one_gets_it",
    ),
    Line(25, "good file, called text/html", "201", "accepted", REQUESTS),
    Line(37, "body packed with gzip", "422", "no field is found in it", REQUESTS),
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
