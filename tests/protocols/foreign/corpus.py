"""Files as people hand them in: every format with everything that happens to files.

`python -m tests.protocols.foreign.corpus` prints how many are read and how many refused; given a
folder, it also writes them there.
"""

import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.protocols.base import QuestionView, Upload
from tests.protocols.foreign.damages import ANY, DAMAGES, Damage
from tests.protocols.foreign.formats import FORMATS, IDS, Format, views, workbook

__all__ = ["ANY", "ForeignFile", "corpus", "counts", "outline"]
SEED = 20_231_023


@dataclass(frozen=True)
class ForeignFile:
    """`code` is empty where the file is read, and then `answers` are those of its source."""

    format: Format
    damage: Damage
    upload: Upload
    answers: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.format}: {self.damage.name}"

    @property
    def questions(self) -> Sequence[QuestionView]:
        return views(self.format.family)

    @property
    def code(self) -> str:
        return self.damage.code(self.format)

    @property
    def line(self) -> int | None:
        """The line to blame, where one is."""
        row = self.damage.row
        if row == 1 and self.format.kind in ("csv", "tsv", "xlsx"):
            return 1  # what is wrong with the names of columns
        return self.format.line(row) if row and self.code != ANY else None

    @property
    def column(self) -> str:
        fields = {"id": self.format.id_field, "answer": self.format.answer_field}
        return fields.get(self.damage.column, self.damage.column)


@cache
def corpus() -> tuple[ForeignFile, ...]:
    return tuple(made(of, damage) for of in FORMATS for damage in DAMAGES if damage.fits(of))


def made(of: Format, damage: Damage) -> ForeignFile:
    rng = random.Random(f"{SEED} {of} {damage.name}")
    whole = [(key, f"Answer {n}.") for n, key in enumerate(IDS[of.family.slug], 1)]
    said = damage.answers(whole)
    rows = damage.rows(of.rows(said), of)
    content = workbook(rows, damage.book) if damage.book else of.write(rows)
    upload = Upload(damage.file_name(of.file_name), damage.content(content, rng))
    answers = dict(said)
    if "row 3" in damage.reads:
        answers[whole[2][0]] = damage.reads["row 3"]
    return ForeignFile(of, damage, upload, answers)


def counts() -> Counter[tuple[str, str]]:
    """By format, how many files are to be read and to be refused."""
    return Counter((str(one.format), "refused" if one.code else "read") for one in corpus())


def outline() -> str:
    """The counts as a table in Markdown."""
    found = counts()
    rows = [(str(of), found[str(of), "read"], found[str(of), "refused"]) for of in FORMATS]
    rows.append(("all", sum(row[1] for row in rows), sum(row[2] for row in rows)))
    lines = [f"| {name} | {read} | {refused} |" for name, read, refused in rows]
    return "\n".join(["| format | read | refused |", "|---|---:|---:|", *lines])


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(corpus()):
        (folder / f"{number:03d}-{one.upload.name}").write_bytes(one.upload.content)


if __name__ == "__main__":
    sys.stdout.write(f"{outline()}\n")
    if sys.argv[1:]:
        write(Path(sys.argv[1]))
