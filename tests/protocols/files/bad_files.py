"""Cases 1-4 and 16-38: the file, its name, its type."""

import gzip
import io
import warnings
import zipfile
from collections.abc import Iterator, Mapping

from benchmarks.protocols.base import Upload
from benchmarks.protocols.files.limits import MAX_FILE_BYTES
from tests.protocols.files.writing import GOOD_ROWS, IDS, Case, accepted, as_csv, as_json, table

GOOD_TABLE = table(GOOD_ROWS)


def empty_and_large_files() -> Iterator[Case]:
    for name in ("a.csv", "a.tsv", "a.jsonl", "a.json"):
        yield Case(1, f"no bytes in {name}", Upload(name, b""), "empty", 1)
        yield Case(2, f"only a mark in {name}", Upload(name, b"\xef\xbb\xbf"), "empty", 1)
    missing = (f"{len(IDS)} of {len(IDS)} answers are missing", "1, 2, 7")
    yield Case(3, "only a header", as_csv(table([])), "missing", None, missing)
    yield Case(3, "an empty list", as_json(b"[]"), "missing", None, missing)
    yield Case(
        4, "one byte too large", as_csv(b"x" * (MAX_FILE_BYTES + 1)), "size", None, ("20971521",)
    )


def file_names() -> Iterator[Case]:
    harmless = (
        (16, "../../etc/passwd.csv"),
        (19, "a" * 5000 + ".csv"),
        (20, "<img src=x onerror=alert(1)>.csv"),
        (22, "CON.csv"),
        (22, "-rf.csv"),
        (23, "a\r\nSet-Cookie: x.csv"),
        (23, "UPPER.CSV"),
    )
    for number, name in harmless:
        yield accepted(number, f"named {name[:40]!a}", Upload(name, GOOD_TABLE))
    yield Case(
        17, "a NUL in the name", Upload("a.csv\0.php", GOOD_TABLE), "name", None, ("NUL", "\\x00")
    )
    refused = (
        (16, "../../etc/passwd"),
        (18, "x.csv.php"),
        (18, "x.php"),
        (21, "a\u202evsc.exe"),
        (22, ".htaccess"),
        *((27, f"a.{ending}") for ending in ("ods", "pkl", "npy", "feather", "yaml")),
    )
    words = (".csv, .tsv, .jsonl or .json",)
    for number, name in refused:
        yield Case(number, f"named {name!a}", Upload(name, GOOD_TABLE), "type", None, words)


def disguised_files() -> Iterator[Case]:
    for start, word in (
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"\x7fELF\x02", "program"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\n <!DOCTYPE html><html>", "HTML"),
        (b"\xef\xbb\xbf<html>", "HTML"),
    ):
        yield Case(24, f"the bytes of {word}", as_csv(start + GOOD_TABLE), "type", None, (word,))
    yield Case(
        26, "GIF and CSV at once", as_csv(b"GIF89a,prediction\n1,2\n"), "type", None, ("GIF",)
    )


def archives() -> Iterator[Case]:
    bomb = _zip({"a.csv": bytes(1_000_000)})
    for number, name, content in (
        (28, "bomb", bomb),
        (29, "nested bombs", _zip({"a.zip": bomb, "b.zip": bomb})),
        (30, "overlapping entries", bomb + bomb),
        (31, "entries outside", _zip({"../a.csv": b"x"})),
        (32, "symlink", _zip({"link": b"/etc/passwd"}, 0o120777 << 16)),
        (33, "one name twice", _zip({"a.csv": b"x"}, again="a.csv")),
        (34, "wrong size in the header", bomb[:22] + b"\x0a\0\0\0" + bomb[26:]),
        (35, "encrypted", bomb[:6] + b"\x01\0" + bomb[8:]),
        (36, "gzip bomb", gzip.compress(bytes(1_000_000))),
        (38, "made by a Mac", _zip({"a/a.csv": b"x", "__MACOSX/a/._a.csv": b"x"})),
    ):
        yield Case(number, f"archive: {name}", Upload("a.zip", content), "type", None, (".zip",))
        yield Case(
            number, f"archive named .csv: {name}", as_csv(content), "type", None, ("archive",)
        )


def _zip(members: Mapping[str, bytes], attributes: int = 0, again: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of the name given twice
        for name, content in (*members.items(), *([(again, b"y")] if again else ())):
            info = zipfile.ZipInfo(name)
            info.external_attr = attributes
            archive.writestr(info, content)
    return file.getvalue()
