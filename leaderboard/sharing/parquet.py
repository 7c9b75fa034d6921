"""The rows of an entry as a Parquet file. Apart from them, because pyarrow takes a quarter second
and 60 MB: only a process that is asked for such a file has it."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from leaderboard.models import Scoresheet
from leaderboard.sharing.answer_rows import TEXTS, Row, answer_rows

SCHEMA = pa.schema(
    [*(pa.field(name, pa.string()) for name in TEXTS), pa.field("is_right", pa.bool_())]
)


def write_parquet(sheet: Scoresheet, path: Path) -> None:
    """A row group per block of answers."""
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for rows in answer_rows(sheet):
            writer.write_table(table_of(rows))


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)
