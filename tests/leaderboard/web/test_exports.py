import csv
import gzip
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import pytest
from django.http import QueryDict

from benchmarks.common.spreadsheets import inert
from benchmarks.models import Benchmark, Release
from benchmarks.protocols.base import PublishedRow
from benchmarks.submissions.models import EvaluatedModel
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.selectors import BoardEntry, BoardPart, BoardReading, read_board
from leaderboard.results.selectors.part import cut
from leaderboard.web.board.choices import choices_of
from leaderboard.web.board.page import board_page
from leaderboard.web.exports import (
    PIECE,
    board_document,
    entry_document,
    export_csv,
    export_json,
    export_latex,
    in_pieces,
    latex,
)
from tests.conftest import import_words, judged, submit
from tests.leaderboard.web.board.many import many

NAME, INERT = "=SUM(A1)& co_1 M\r=1", "'=SUM(A1)& co_1 M\r'=1"


@pytest.fixture
def board(spelling, owner) -> BoardReading:
    run = judged(submit(spelling, owner, name="Sums & co_1"))
    # as names could be before there was a rule for them
    EvaluatedModel.objects.filter(pk=run.submission.model_id).update(name=NAME)
    judged(submit(spelling, owner, b"1=two\n2=x\n3=y\n4=z\n", name="Guesser"))
    judged(submit(spelling, None, b"1=a\n2=b\n3=c\n4=d\n", name="Always", origin="baseline"))
    return read_board(Benchmark.objects.get(slug="spelling"))


def test_the_csv_has_a_line_per_entry_in_board_order_that_says_what_its_figures_are_of(board):
    """Ranked entries have a rank and each value its interval; no name ends a line."""
    text = "".join(export_csv(board))
    found = list(csv.DictReader(io.StringIO(text, newline="")))
    named = ("kind", "model", "accuracy", "release", "judge", "texts edition")
    of = ("spelling-1", board.era.judge_spec.slug, str(board.edition.number))
    assert [tuple(line[name] for name in named) for line in found] == [
        ("upload", INERT, "0.75", *of),
        ("upload", "Guesser", "0.25", *of),
        ("baseline", "Always", "0.0", *of),
    ]
    assert (found[0]["rank"][0], found[2]["rank"]) == ("1", "")
    low, value, high = (float(found[0][f"accuracy{end}"]) for end in (" low", "", " high"))
    assert low < value <= high
    assert (text.count("\r\n"), text[-2:]) == (4, "\r\n")
    assert f'"{INERT}"' in text


def test_the_json_is_the_board_as_plain_values_which_names_release_and_judge_by_hash(board):
    document = board_document(board)
    assert json.loads("".join(export_json(board))) == document
    assert document["release_checksum"] == board.era.release.checksum
    assert document["judge_hash"] == board.era.judge_spec.content_hash


PAPER = PublishedRow("Orb_7B", "Table 2 of a & b", "https://example.org", {"accuracy": 0.5})
CELL_BORDER = re.compile(r"(?<!\\)&")


def test_a_latex_table_prints_as_the_page_does_with_rows_of_papers_below(board):
    """As a TeX engine demands: in each tabular as many cells as its preamble names, or a single one
    over all of them; braces close in the line they open in."""
    assert "Published" not in "".join(export_latex(board))
    table = "".join(export_latex(replace(board, published=(PAPER,))))
    before, _, after = table.partition("Published in papers, not ranked")
    assert r"=SUM(A1)\& co\_1 M =1 & 75.00" in before  # bold would be one of two
    always = r"-- & Always & 0.00 {\scriptsize 0.00 to 48.99} & 0.0 {\scriptsize 0.0 to 1.0} \\"
    assert always in before
    assert r"-- & Orb\_7B (Table 2 of a \& b) & 50.00 & -- \\" in after
    preamble = re.search(r"\\begin{tabular}{(\w+)}", table)
    assert preamble
    columns = len(preamble[1])
    rows = [line for line in table.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 6
    for row in rows:
        assert row.replace(r"\{", "").replace(r"\}", "").count("{") == row.count("}")
        is_over_all = row.startswith(rf"\multicolumn{{{columns}}}")
        assert len(CELL_BORDER.split(row)) == (1 if is_over_all else columns), row


def test_in_latex_bold_is_what_is_bold_on_the_page():
    whole = cut(many("touchstone", 12), BoardPart())
    most = whole.counts.ranked // 3
    for marked, bold in ((1, 1), (most, most), (most + 1, 0)):
        firsts = {whole.order: {entry.id for entry in whole.rows[:marked]}}
        reading = replace(whole, firsts=firsts)
        page = board_page(reading, choices_of(QueryDict(), whole.board))
        assert "".join(page["rows"].values()).count('class="best') == bold
        table, *_ = "".join(export_latex(reading)).split("end{tabular}")
        assert table.count(r"\textbf") == bold


def test_an_empty_board_can_be_exported(spelling):
    board = read_board(Benchmark.objects.get(slug="spelling"))
    assert len("".join(export_csv(board)).splitlines()) == 1
    assert json.loads("".join(export_json(board)))["entries"] == []
    assert r"\bottomrule" in "".join(export_latex(board))


FORMULAS = (
    *("=1+1", "+1", "-1", "@SUM", "\t=1", "\u22121", "＝1+1", "＋1", "－1", "＠SUM", "﹦1", "⁼1"),
    *(" =1+1", "\u00a0=1", "\u3000=1"),
)


def test_no_line_of_a_cell_begins_as_a_formula():
    written = {text: f"'{text}" for text in FORMULAS} | {
        "\r=1": "'\r'=1",
        "a\n=1\r=2\r\n=3\u2028=4\x85=5": "a\n'=1\r'=2\r\n'=3\u2028'=4\x85'=5",
        "a = b - c": "a = b - c",
        "": "",
    }
    assert {text: inert(text) for text in written} == written


def test_a_name_is_plain_text_in_latex():
    written = {
        "a_b": r"a\_b",
        "50 %": r"50 \%",
        "x^2~": r"x\textasciicircum{}2\textasciitilde{}",
        "{\\": r"\{\textbackslash{}",
    }
    assert {text: latex(text) for text in written} == written


def test_an_export_is_a_download_compressed_on_its_way(board, client):
    for kind in ("csv", "json", "latex"):
        reply = client.get(f"/boards/spelling/export.{kind}")
        assert reply.status_code == 200
        assert reply["Content-Disposition"].startswith("attachment; filename=")
    assert client.get("/boards/spelling/export.exe").status_code == 404
    reply = client.get("/boards/spelling/export.json", headers={"Accept-Encoding": "gzip"})
    assert (reply.streaming, reply["Content-Encoding"]) == (True, "gzip")
    assert json.loads(gzip.decompress(reply.getvalue())) == board_document(board)


# --- boards of any size ---------------------------------------------------------------------------


@pytest.mark.parametrize("write", [export_csv, export_json])
def test_an_export_is_written_while_entries_are_read(write):
    whole, taken = many("hallusionbench", 400), count()

    def entries() -> Iterator[BoardEntry]:
        for entry in whole.entries:
            next(taken)
            yield entry

    pieces = in_pieces(write(replace(whole, entries=(), stream=entries)))
    first = next(pieces)
    assert PIECE <= len(first) < 2 * PIECE
    assert 0 < next(taken) < 50
    assert whole.entries[-1].model in "".join(pieces)


def test_a_text_with_line_ends_of_other_kinds_stays_what_it_is(board):
    odd = replace(board.entries[0], model='a\u2028b\x85c\nd"e')
    text = "".join(export_json(replace(board, stream=lambda: iter([odd]))))
    assert json.loads(text)["entries"][0]["model"] == odd.model
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


@pytest.fixture
def hidden_board(db, owner) -> BoardReading:
    """Two entries of a hidden test, whose rounded scores are all that is shown."""
    hidden = import_words(range(40), slug="hidden")
    Release.objects.update(disclosure="hidden_test")
    hidden.refresh_from_db()
    for right in (30, 24):
        answers = "".join(f"{n}={f'word{n}' if n < right else 'x'}\n" for n in range(40)).encode()
        judged(submit(hidden, owner, answers, name=f"Right {right}"))
    return read_board(Benchmark.objects.get(slug="spelling"))


def test_files_of_a_hidden_test_leave_out_what_is_not_told(hidden_board, client):
    """Page, CSV and JSON say the same: a score, and neither a rank nor what follows from one."""
    entries = hidden_board.entries
    assert all(entry.rank for entry in entries)
    lines = list(csv.DictReader(io.StringIO("".join(export_csv(hidden_board)), newline="")))
    for name in ("rank", "may be first", "ranges", "ahead of leader", "accuracy low"):
        assert [line[name] for line in lines] == ["", ""], name
    assert [float(line["accuracy"]) for line in lines] == [e.value("accuracy") for e in entries]
    document = client.get("/api/v1/boards/spelling/").json()
    assert document["ranges"] is None
    for name in ("rank", "may_be_first", "judged", "unreadable", "failed", "excluded"):
        assert [entry[name] for entry in document["entries"]] == [None, None], name
    address = f"/entries/{entries[0].id}/"
    alone = client.get(f"/api/v1{address}").json()
    assert [alone[name] for name in ("judged", "unreadable", "failed", "excluded")] == [None] * 4
    page = client.get(address).text
    assert "the rounded score of a hidden test" in page
    for promised in ("rank range", "score and rank", "every answer"):
        assert promised not in page
    record = client.get(f"{address}every-eval-ever.json").json()
    details = record["evaluation_results"][0]["score_details"]["details"]
    assert details == {"asked": "40"}
    written = json.loads("".join(export_json(hidden_board)))
    assert written["entries"] == document["entries"]
    table = "".join(export_latex(hidden_board))
    assert "% Small" not in table
    assert "% Bold" not in table
    assert "\nModel & " in table
    assert "\nRight 30 & " in table
    assert "--" not in table


def test_pages_of_a_hidden_test_have_no_empty_column_and_promise_nothing(hidden_board, client):
    refresh_boards()
    board = client.get("/boards/spelling/?published=off").text
    table = re.sub(r"<[^>]+>", " ", board[board.index("<table") : board.index("</table>")])
    assert "Model" in table
    assert "In order of score" in table
    assert "Rank" not in table.replace("Ranking", "")
    for promised in ("margins of error", "A rank range", "Bold:", "Who leads", "not ranked"):
        assert promised not in board, promised
    assert "2 entries" in board
    assert '<td data-label="Ranked" class="number">–</td>' in client.get("/releases/hidden/").text
    model = EvaluatedModel.objects.get(name="Right 30").slug
    for address in ("/", f"/models/{model}/"):
        head = client.get(address).text.split("</head>")[0]
        assert "margins of error" not in head, address
    assert "95 % intervals" not in client.get("/").text


def test_what_is_gone_from_a_hidden_test_has_no_rank_either(hidden_board):
    gone = replace(hidden_board.entries[0], is_gone=True)
    document = entry_document(hidden_board, gone, ())
    unknown = ("id", "rank", "may_be_first", "judged", "coverage")
    assert [document[name] for name in unknown] == [None] * 5


def test_a_run_on_a_hidden_test_tells_its_owner_how_many_but_not_what_became_of_them(
    hidden_board, client, owner
):
    client.force_login(owner)
    submission = hidden_board.entries[0].id
    (run,) = client.get(f"/api/v1/submissions/{submission}/").json()["runs"]
    assert (run["asked"], run["open"], run["percent_done"]) == (40, 0, 100)
    assert [run[name] for name in ("judged", "unreadable", "failed", "excluded")] == [None] * 4


def test_latex_explains_the_marks_that_occur(board):
    table = "".join(export_latex(board))
    assert ("% Small" in table, "% Bold" in table) == (True, False)  # bold would be one of two
