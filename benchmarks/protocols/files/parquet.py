"""Parquet files: a column for each field and a row for each answer, as data frames are kept.

What the file says of its size is bounded before a column is read, only columns that count are
opened, and what they unpack to is counted on the way; the rest is pyarrow's, within the limits of
the process that reads files from outside. Nothing is converted: a number is no answer, and bytes
are no text. Rows stand on no line; they are counted from 1, and so are their lines here.

Imported where such a file comes (submitted.py): pyarrow takes a reader of files as long to start as
all the rest.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.protocols.base import Note, Problem
from benchmarks.protocols.files.forms import ASKED, Layouts
from benchmarks.protocols.files.limits import (
    MAX_FIELDS,
    MAX_ROW_GROUPS,
    MAX_UNPACKED_BYTES,
)
from benchmarks.protocols.files.records import Record, Refusal
from benchmarks.protocols.files.text import quoted, visible

_ROWS_AT_ONCE = 200
"""Their longest texts are 26 MB."""
_HEAD_STRING_BYTES = 1024 * 1024  # of one text in the file's own description: pandas writes kB
_HEAD_ITEMS = 100_000  # of one list there: row groups, columns, pages
_INDEX = re.compile(r"__index_level_[0-9]{1,3}__")
"""The name that pandas gives an index without one, where it keeps it as a column."""


def read_parquet(content: bytes, layouts: Layouts) -> Iterator[Record | Refusal | Note]:
    row = 0
    try:
        head = _opened(content)
        problem = _head_problem(head)
        if problem is not None:
            yield Refusal(problem, "rest")
            return
        schema = head.schema_arrow
        indexes = [name for name in schema.names if _INDEX.fullmatch(name)]
        if indexes:
            yield Note("ignored-fields", f"The index of a data frame is not read: {indexes[0]}.")
        columns = _columns(schema, layouts)
        problem = _columns_problem(columns, schema, layouts) or _unpacked_problem(head, columns)
        if problem is not None:
            yield Refusal(problem, "rest")
            return
        for row, item in enumerate(_rows(content, head, columns), 1):
            yield _numbered(item, row)
            if isinstance(item, Refusal) and item.loses == "rest":
                return
    except MemoryError:
        raise
    except Exception as error:  # pyarrow raises errors of its own, and Python's
        yield Refusal(_unreadable(f"It is faulty here: {type(error).__name__}.", row + 1), "rest")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column that is read: its name in the file, that of the field, and what it holds."""

    name: str
    field: str
    type: Any

    @property
    def is_text(self) -> bool:
        held = self.type.value_type if pa.types.is_dictionary(self.type) else self.type
        return any(
            is_of(held)
            for is_of in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
        )

    @property
    def is_plain(self) -> bool:
        """Of numbers, of yes and no, or of nothing: told of value by value, as in JSON."""
        return any(
            is_of(self.type)
            for is_of in (
                pa.types.is_integer,
                pa.types.is_floating,
                pa.types.is_boolean,
                pa.types.is_null,
            )
        )


def _opened(content: bytes, **more: Any) -> Any:
    return pq.ParquetFile(
        pa.BufferReader(content),
        pre_buffer=False,
        thrift_string_size_limit=_HEAD_STRING_BYTES,
        thrift_container_size_limit=_HEAD_ITEMS,
        **more,
    )


# --- what the file says of itself -----------------------------------------------------------------


def _head_problem(head: Any) -> Problem | None:
    groups, columns = head.metadata.num_row_groups, len(head.schema_arrow.names)
    if columns > MAX_FIELDS:
        message, expected = f"The table has {columns} columns.", f"at most {MAX_FIELDS} columns"
        return Problem("too-many-fields", message, None, "", expected, f"{columns} columns")
    if groups > MAX_ROW_GROUPS:
        message = f"The table is written in {groups:,} groups of rows."
        expected = f"at most {MAX_ROW_GROUPS:,} groups"
        return Problem("size", message, None, "", expected, f"{groups} groups")
    return None


def _columns(schema: Any, layouts: Layouts) -> tuple[_Column, ...]:
    """Those that are read. What is wrong with names is remembered by `layouts`."""
    fields = [one for one in schema if not _INDEX.fullmatch(one.name)]
    layout = layouts.fit(tuple(one.name for one in fields), 1)
    columns = (
        _Column(one.name, kept_as, one.type)
        for one, kept_as in zip(fields, layout, strict=False)
        if kept_as is not None
    )
    return tuple(one for one in columns if one.field != ASKED or one.is_text)


def _columns_problem(columns: Sequence[_Column], schema: Any, layouts: Layouts) -> Problem | None:
    names = list(schema.names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        message, shown = f"The table has the column {quoted(twice)} more than once.", visible(twice)
        return Problem("duplicate-field", message, None, shown, "each column once", shown)
    if not columns:
        message = "No column of the table has a name that is expected."
        found = visible(", ".join(names))
        return Problem("header", message, None, "", layouts.headers(), found)
    odd = next((one for one in columns if not (one.is_text or one.is_plain)), None)
    if odd is not None:
        shown = visible(str(odd.type))
        message = f"The column {quoted(odd.name)} holds {shown}, not texts."
        return Problem("column-type", message, None, visible(odd.name), "a column of texts", shown)
    return None


def _unpacked_problem(head: Any, columns: Sequence[_Column]) -> Problem | None:
    """By what the file says, which may be wrong: what is unpacked is counted too."""
    names, size = {one.name for one in columns}, 0
    for number in range(head.metadata.num_row_groups):
        group = head.metadata.row_group(number)
        chunks = map(group.column, range(group.num_columns))
        size += sum(one.total_uncompressed_size for one in chunks if one.path_in_schema in names)
    return _too_large(size) if size > MAX_UNPACKED_BYTES else None


def _too_large(size: int) -> Problem:
    message = "The columns would unpack to more than is read."
    expected = f"at most {MAX_UNPACKED_BYTES} bytes"
    return Problem("size", message, expected=expected, found=f"{size} bytes")


def _unreadable(reason: str, row: int | None = None) -> Problem:
    message = f"The Parquet file cannot be read. {reason}"
    return Problem("parquet", message, row, expected="a whole Parquet file, not encrypted")


# --- its rows -------------------------------------------------------------------------------------


def _rows(content: bytes, head: Any, columns: Sequence[_Column]) -> Iterator[Record | Refusal]:
    """Each with line 0, or a refusal in its place."""
    names = [one.name for one in columns]
    texts = [one.name for one in columns if one.is_text]
    # Texts come as places in a list of different ones: one that stands in every row is held once.
    file = _opened(content, metadata=head.metadata, read_dictionary=texts)
    unpacked = 0
    for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names, use_threads=False):
        unpacked += sum(_size(batch.column(name)) for name in texts)
        if unpacked > MAX_UNPACKED_BYTES:
            yield Refusal(_too_large(unpacked), "rest")
            return
        held = [_values(batch.column(one.name), one) for one in columns]
        for values in zip(*held, strict=True):
            yield _record(dict(zip(columns, values, strict=True)))


def _size(array: Any) -> int:
    """Bytes of all its texts, before any of them is made."""
    if pa.types.is_dictionary(array.type):
        lengths = pc.binary_length(array.dictionary.cast(pa.large_binary())).take(array.indices)
    else:
        lengths = pc.binary_length(array.cast(pa.large_binary()))
    return pc.sum(lengths).as_py() or 0


def _values(array: Any, column: _Column) -> list[Any]:
    """Texts as bytes: whether they are UTF-8 is looked at row by row."""
    if pa.types.is_dictionary(array.type):
        texts = array.dictionary.cast(pa.large_binary()).to_pylist()
        return [None if place is None else texts[place] for place in array.indices.to_pylist()]
    found: list[Any] = (array.cast(pa.large_binary()) if column.is_text else array).to_pylist()
    return found


def _record(given: Mapping[_Column, Any]) -> Record | Refusal:
    fields: dict[str, object] = {}
    for column, value in given.items():
        if isinstance(value, bytes):
            try:
                value = value.decode(errors="replace" if column.field == ASKED else "strict")
            except UnicodeDecodeError as error:
                return Refusal(_not_utf8(column, value, error.start), "row")
        fields[column.field] = value
    return Record(0, fields)


def _not_utf8(column: _Column, value: bytes, start: int) -> Problem:
    message = f"Byte {start + 1} of the text is not UTF-8."
    found = visible(repr(value[max(0, start - 10) : start + 10])[2:-1])
    return Problem("encoding", message, None, visible(column.name), "UTF-8", found)


def _numbered(item: Record | Refusal, row: int) -> Record | Refusal:
    if isinstance(item, Record):
        return replace(item, line=row, number=row)
    where = Record(row, {}, row)
    return replace(item, problem=replace(item.problem, line=row, record=where.place))
