"""The list of bad inputs as a table: what a sender may upload, and what must become of it.

Case numbers are those of the project's list of 96, and of workbooks and Parquet tables behind them.
Every file is made by the functions named here, none is kept. `python -m
tests.protocols.files.corpus` prints the table; given a folder, it also writes the files there.
"""

import sys
from functools import cache
from itertools import chain
from pathlib import Path

from tests.protocols.files import (
    bad_answers,
    bad_files,
    bad_objects,
    bad_parquets,
    bad_tables,
    bad_texts,
    bad_workbooks,
)
from tests.protocols.files.writing import Case

# Cases a reader of bytes never meets: transport, sessions, quotas and request headers.
TESTED_WITH_THE_SITE = frozenset({*range(5, 16), 25, 37})

_GROUPS = (
    bad_files.empty_and_large_files,
    bad_files.file_names,
    bad_files.disguised_files,
    bad_files.archives,
    bad_texts.encodings,
    bad_texts.wrong_bytes,
    bad_texts.forbidden_characters,
    bad_texts.line_ends,
    bad_texts.unusual_characters,
    bad_texts.unusual_ids,
    bad_tables.quotes_and_cells,
    bad_tables.headers,
    bad_tables.endless_files,
    bad_objects.depths,
    bad_objects.roots,
    bad_objects.values,
    bad_objects.fields,
    bad_answers.ids,
    bad_answers.ids_made_numbers,
    bad_answers.answers,
    bad_answers.sizes,
    bad_workbooks.workbooks,
    bad_workbooks.archives_named_xlsx,
    bad_workbooks.cells,
    bad_workbooks.headers,
    bad_parquets.tables,
    bad_parquets.broken_files,
    bad_parquets.bombs,
    bad_parquets.column_types,
    bad_parquets.texts,
    bad_parquets.names,
)


@cache
def cases() -> tuple[Case, ...]:
    return tuple(chain.from_iterable(group() for group in _GROUPS))


def write(folder: Path) -> None:
    """One file per case below `folder`, under a name of ours."""
    folder.mkdir(parents=True, exist_ok=True)
    for position, case in enumerate(cases()):
        ending = case.upload.name.rpartition(".")[2]
        kept = ending if ending.isalnum() and len(ending) < 8 else "bin"
        (folder / f"{case.number:02d}-{position:03d}.{kept}").write_bytes(case.upload.content)


def outline() -> str:
    return "".join(
        f"{case}: {case.code or ' '.join(('accepted', *case.notes))}\n" for case in cases()
    )


if __name__ == "__main__":
    sys.stdout.write(outline())
    if sys.argv[1:]:
        write(Path(sys.argv[1]))
