"""Texts as files: what goes out does nothing in a spreadsheet and comes back as it was; what comes
in is refused with every place."""

import csv
import io
import json
from typing import Any

from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.releases.text_files import (
    COLUMNS,
    WrittenRow,
    as_csv,
    as_json_lines,
    guarded,
    official_document,
    texts_document,
    unguarded,
)
from tests.each_case import each_case

HEADER = "kind,name,version,text\n"


def read(content: str, name: str = "texts.csv") -> dict[str, Any]:
    return texts_document(Upload(name, content.encode()))


def problems(content: str, name: str = "texts.csv") -> list[tuple[str, int | None, str]]:
    return [(p["code"], p["line"], p["column"]) for p in read(content, name)["problems"]]


@each_case(
    "text",
    [
        "=1+1",
        "'=1+1",
        "''=1+1",
        "'quoted' by somebody",
        "- a cat\n- a dog\n'- no list",
        "@here",
        " =1",
        "＝1",
        "plain",
        "",
        "a\r\n=b",
    ],
)
def test_a_text_comes_back_as_it_went_out_and_no_line_of_it_is_a_formula(text):
    out = guarded(text)
    assert unguarded(out) == text
    assert not [line for line in out.splitlines() if line.lstrip(" ")[:1] in set("=+-@＝")]


def test_a_file_that_went_out_is_read_back():
    written = [
        WrittenRow(
            "description", "=a.png", 2, "approved", "", "=a.png", '=HYPERLINK("x")\n- a list'
        ),
        WrittenRow("reference", "q,1", 1, "live", "@what?", "", "It's red."),
    ]
    for name, lines in (("t.csv", as_csv(written)), ("t.jsonl", as_json_lines(written))):
        found = read("".join(lines), name)
        assert found["problems"] == []
        assert [(r["kind"], r["name"], r["version"], r["text"]) for r in found["rows"]] == [
            (w.kind, w.name, w.version, w.text) for w in written
        ]


def test_a_file_from_before_pictures_had_a_column_is_read():
    header = "kind,name,version,state,question,text\n"
    found = read(f"{header}description,0977acfc72f2ce33,2,approved,,A kettle.\n")
    assert found["problems"] == []
    assert [(r["name"], r["text"]) for r in found["rows"]] == [("0977acfc72f2ce33", "A kettle.")]


def test_the_csv_has_no_cell_that_is_run():
    rows = [WrittenRow("reference", "=1", 1, "live", "+1", "", "-1")]
    cells = next(csv.DictReader(io.StringIO("".join(list(as_csv(rows))))))
    assert tuple(cells) == COLUMNS
    assert (cells["name"], cells["question"], cells["text"]) == ("'=1", "'+1", "'-1")


FAULTY = {
    "": ("empty", None, ""),
    "caption,a,1,x\n": ("kind", 2, "kind"),
    "reference,a,one,x\n": ("version", 2, "version"),
    "reference,a,-1,x\n": ("version", 2, "version"),
    f"reference,a,1,{'x' * 20_001}\n": ("too-long", 2, "text"),
    "reference,a,1\n": ("short-row", 2, ""),
    "reference,a,1,x\nreference,a,1,y\n": ("duplicate", 3, "name"),
}


def test_a_faulty_row_is_told_with_its_place():
    found = {rows: problems(f"{HEADER}{rows}") for rows in FAULTY}
    assert {rows: told[-1] for rows, told in found.items()} == FAULTY
    (twice,) = read(f"{HEADER}reference,a,1,x\nreference,a,1,y\n")["problems"]
    assert "first on line 2" in twice["message"]


def test_a_version_in_json_is_a_number_and_nothing_else_is():
    row = {"kind": "reference", "name": "a", "version": 1, "text": "x"}
    assert read(json.dumps(row), "t.jsonl")["rows"][0]["version"] == 1
    for wrong in (True, 1.5, None, [1]):
        line = json.dumps({**row, "version": wrong})
        assert read(line, "t.jsonl")["rows"] == []
        assert read(line, "t.jsonl")["problems"]


def test_an_official_file_gives_its_texts_and_what_is_asked():
    family = protocol("hallusionbench")
    content = family.bundled[0].dataset.read_bytes()
    found = official_document(Upload("HallusionBench.json", content), family)
    assert found["problems"] == []
    assert len(found["questions"]) == len([r for r in found["rows"] if r["kind"] == "reference"])
