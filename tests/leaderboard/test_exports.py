import csv
import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from benchmarks.models import Benchmark
from benchmarks.protocols.base import PublishedRow
from benchmarks.spreadsheets import inert
from benchmarks.submissions.models import EvaluatedModel
from leaderboard.exports import (
    PIECE,
    board_document,
    export_csv,
    export_json,
    export_latex,
    in_pieces,
    latex,
)
from leaderboard.selectors import BoardEntry, BoardReading, read_board
from tests.conftest import judged, submit
from tests.leaderboard.board.many import many

NAME, INERT = "=SUM(A1)& co_1 M\r=1", "'=SUM(A1)& co_1 M\r'=1"


@pytest.fixture
def board(spelling, owner) -> BoardReading:
    run = judged(submit(spelling, owner, name="Sums & co_1"))
    # as names could be before there was a rule for them
    EvaluatedModel.objects.filter(pk=run.submission.model_id).update(name=NAME)
    judged(submit(spelling, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    judged(submit(spelling, None, b"1=a\n2=b\n3=c\n4=d\n", name="Always", origin="baseline"))
    return read_board(Benchmark.objects.get(slug="spelling"))


def lines(board: BoardReading) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(export_csv(board)))))


def test_the_csv_has_a_line_per_entry_in_board_order(board):
    assert [(line["kind"], line["model"], line["accuracy"]) for line in lines(board)] == [
        ("upload", INERT, "0.75"),
        ("upload", "Guesser", "0.25"),
        ("baseline", "Always", "0.0"),
    ]


def test_the_csv_gives_ranks_to_ranked_entries_only(board):
    ranks = [line["rank"] for line in lines(board)]
    assert ranks[0].startswith("1")
    assert ranks[2] == ""


def test_the_csv_has_the_interval_beside_each_value(board):
    line = lines(board)[0]
    assert float(line["accuracy low"]) < float(line["accuracy"]) <= float(line["accuracy high"])


def test_the_json_is_the_board_as_plain_values(board):
    assert json.loads("".join(export_json(board))) == board_document(board)


def test_the_json_names_release_and_judge_by_their_hashes(board):
    document = board_document(board)
    assert document["release_checksum"] == board.era.release.checksum
    assert document["judge_hash"] == board.era.judge_spec.content_hash


def test_the_latex_table_escapes_names_and_prints_as_the_page_does(board):
    table = "".join(export_latex(board))
    assert r"=SUM(A1)\& co\_1 M =1 & \textbf{75.00}" in table
    assert r"-- & Always & 0.00 {\scriptsize 0.00--48.99} & 0.0 {\scriptsize 0.0--1.0} \\" in table


PAPER = PublishedRow("Orb_7B", "Table 2 of a & b", "https://example.org", {"accuracy": 0.5})
CELL_BORDER = re.compile(r"(?<!\\)&")


def test_a_latex_table_has_rows_of_papers_below_its_own(board):
    table = "".join(export_latex(replace(board, published=(PAPER,))))
    before, _, after = table.partition("Published in papers, not ranked")
    assert r"-- & Orb\_7B (Table 2 of a \& b) & 50.00 & -- \\" in after
    assert "Always" in before
    assert "Orb" not in before
    assert "Published" not in "".join(export_latex(board))


def test_every_row_of_a_latex_table_has_as_many_cells(board):
    """As a TeX engine would demand: in each tabular, as many as its preamble names, or a single one
    over all of them; braces close in the line they open in."""
    table = "".join(export_latex(replace(board, published=(PAPER,))))
    preamble = re.search(r"\\begin{tabular}{(\w+)}", table)
    assert preamble
    columns = len(preamble[1])
    rows = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 6
    for row in rows:
        assert row.replace(r"\{", "").replace(r"\}", "").count("{") == row.count("}")
        is_over_all = row.startswith(rf"\multicolumn{{{columns}}}")
        assert len(CELL_BORDER.split(row)) == (1 if is_over_all else columns), row


def test_the_csv_says_in_each_line_what_its_figures_are_of(board):
    for line in lines(board):
        assert line["release"] == "spelling-1"
        assert line["judge"] == board.era.judge_spec.slug
        assert line["texts edition"] == str(board.edition.number)


def test_an_empty_board_can_be_exported(spelling):
    board = read_board(Benchmark.objects.get(slug="spelling"))
    assert lines(board) == []
    assert json.loads("".join(export_json(board)))["entries"] == []
    assert r"\bottomrule" in "".join(export_latex(board))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        *((text, f"'{text}") for text in ("=1+1", "+1", "-1", "@SUM", "\t=1", "\u22121")),
        *((text, f"'{text}") for text in ("＝1+1", "＋1", "－1", "＠SUM", "﹦1", "⁼1")),
        *((text, f"'{text}") for text in (" =1+1", "\u00a0=1", "\u3000=1")),
        ("\r=1", "'\r'=1"),
        ("a\n=1\r=2\r\n=3\u2028=4\x85=5", "a\n'=1\r'=2\r\n'=3\u2028'=4\x85'=5"),
        ("a = b - c", "a = b - c"),
        ("", ""),
    ],
)
def test_no_line_of_a_cell_begins_as_a_formula(text, written):
    assert inert(text) == written


def test_the_csv_ends_lines_with_cr_lf_and_lets_no_name_end_one(board):
    text = "".join(export_csv(board))
    assert text.count("\r\n") == 4
    assert text.endswith("\r\n")
    assert f'"{INERT}"' in text


def test_a_line_end_in_a_name_is_a_blank_in_latex(board):
    assert r"=SUM(A1)\& co\_1 M =1" in "".join(export_latex(board))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b", r"a\_b"),
        ("50 %", r"50 \%"),
        ("x^2~", r"x\textasciicircum{}2\textasciitilde{}"),
        ("{\\", r"\{\textbackslash{}"),
    ],
)
def test_a_name_is_plain_text_in_latex(text, written):
    assert latex(text) == written


@pytest.mark.parametrize("kind", ["csv", "json", "latex"])
def test_an_export_is_a_download(board, client, kind):
    reply = client.get(f"/boards/spelling/export.{kind}")
    assert reply.status_code == 200
    assert reply["Content-Disposition"].startswith("attachment; filename=")


def test_an_export_of_another_kind_is_not_found(board, client):
    assert client.get("/boards/spelling/export.exe").status_code == 404


# --- boards of any size ---------------------------------------------------------------------------


class Reading:
    """Entries one by one, and how many of them somebody took."""

    def __init__(self, entries: Sequence[BoardEntry]) -> None:
        self.entries = entries
        self.taken = 0

    def __call__(self) -> Iterator[BoardEntry]:
        for entry in self.entries:
            self.taken += 1
            yield entry


@pytest.mark.parametrize("write", [export_csv, export_json])
def test_an_export_is_written_while_entries_are_read(write):
    whole = many("hallusionbench", 400)
    rows = Reading(whole.entries)
    pieces = in_pieces(write(replace(whole, entries=(), stream=rows)))
    first = next(pieces)
    assert PIECE <= len(first) < 2 * PIECE
    assert 0 < rows.taken < 50
    rest = "".join(pieces)
    assert rows.taken == 400
    assert whole.entries[-1].model in rest


def test_what_is_streamed_is_compressed_on_its_way(board, client):
    reply = client.get("/boards/spelling/export.json", headers={"Accept-Encoding": "gzip"})
    assert reply.streaming
    assert reply["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(reply.getvalue())) == board_document(board)


def test_a_text_with_line_ends_of_other_kinds_stays_what_it_is(board):
    odd = replace(board.entries[0], model='a\u2028b\x85c\nd"e')
    text = "".join(export_json(replace(board, stream=lambda: iter([odd]))))
    assert json.loads(text)["entries"][0]["model"] == odd.model
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"
