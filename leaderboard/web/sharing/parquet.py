"""The rows of an entry as a Parquet file. Apart from them, because pyarrow takes a quarter second
and 60 MB: only a process that is asked for such a file has it."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from judging.models import JudgeRun
from leaderboard.web.sharing.answer_rows import NUMBERS, TEXTS, Row, answer_rows

SCHEMA = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in TEXTS),
        pa.field("is_right", pa.bool_()),
        *(pa.field(name, pa.float64()) for name in NUMBERS),
        pa.field("call", pa.int64()),
    ]
)


def write_parquet(run: JudgeRun, path: Path) -> None:
    """A row group per block of answers."""
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for rows in answer_rows(run):
            writer.write_table(table_of(rows))


def table_of(rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=SCHEMA)
