"""The official table once more, with other texts in it: a row whose texts are the same stays as it
is, byte by byte."""

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from benchmarks.protocols.touchstone.tables import MAX_ROW_BYTES, Row, read_rows

MARK = b"\xef\xbb\xbf"
TEXTS = {"description": "human_annotation", "reference": "gpt4_ha_answer"}


class NoTableError(ValueError):
    """The file is not the official table; the message says why."""


def rewritten(stream: BinaryIO, texts: Mapping[str, Mapping[str, str]]) -> Iterator[bytes]:
    """The file row by row. `texts`: by the id of a question its texts by kind; a kind that is not
    there keeps what the file has, and so does a text that differs in blanks around it alone.

    In a row that changes, cells are quoted where the dialect needs it. Raises NoTableError.
    """
    head = stream.readline(MAX_ROW_BYTES + 1)
    mark = MARK if head.startswith(MARK) else b""
    header: list[str] | None = None
    for row in read_rows(head.removeprefix(mark), stream):
        if not isinstance(row, Row):
            raise NoTableError(f"Line {row.line}: {row.message}")
        if header is None:
            header = [cell.decode(errors="replace").strip() for cell in row.cells]
            if missing := [name for name in ("index", *TEXTS.values()) if name not in header]:
                raise NoTableError(f"The header lacks {', '.join(missing)}.")
            yield mark + row.raw
        else:
            yield with_texts(row, header, texts)


def with_texts(row: Row, header: list[str], texts: Mapping[str, Mapping[str, str]]) -> bytes:
    if len(row.cells) != len(header):
        raise NoTableError(f"Line {row.line}: the row has not as many cells as the header.")
    own = texts.get(row.cells[header.index("index")].decode(errors="replace").strip(), {})
    cells, is_changed = list(row.cells), False
    for kind, text in own.items():
        place = header.index(TEXTS[kind])
        if plain(cells[place].decode(errors="replace")) != text:
            cells[place], is_changed = text.encode(), True
    if not is_changed:
        return row.raw
    content = row.raw.rstrip(b"\r\n")
    return b"\t".join(map(quoted, cells)) + row.raw[len(content) :]


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def quoted(cell: bytes) -> bytes:
    if cell.startswith(b'"') or any(sign in cell for sign in (b"\t", b"\n", b"\r")):
        return b'"' + cell.replace(b'"', b'""') + b'"'
    return cell
