"""The command line as a script has it: what it prints, and how it ends."""

import io
import re
from itertools import count
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from assay import FileRefusedError, Site, command_line, printing
from assay.progress import Progress

README = Path(command_line.__file__).parents[2] / "README.md"
PROJECT = README.parents[2]
METRICS = [
    {"name": "accuracy", "unit": "percent"},
    {"name": "score", "unit": "score"},
]
BOARD = {
    "title": "Spelling",
    "release": "spelling-1",
    "judge": "rules",
    "ranking": "score",
    "metrics": METRICS,
    "entries": [
        {
            "id": "1",
            "model": "=Speller",
            "organisation": "Lab",
            "parameters_billions": "9.60",
            "rank": 1,
            "rank_best": 1,
            "rank_worst": 2,
            "figures": {
                "accuracy": {"value": 0.7512, "low": 0.7, "high": 0.8},
                "score": {"value": 645.25, "low": 590.0, "high": 701.5},
            },
        },
        {
            "id": "2",
            "model": "Guesser",
            "organisation": "",
            "rank": None,
            "rank_best": None,
            "rank_worst": None,
            "figures": {"accuracy": {"value": None, "low": None, "high": None}},
        },
    ],
}


@pytest.fixture(autouse=True)
def address(monkeypatch):
    monkeypatch.setenv("ASSAY_URL", "http://127.0.0.1:9")
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)


def run(capsys, *words: str) -> tuple[int, str, str]:
    """How the command ends, and what it prints and complains of."""
    status = command_line.main(list(words))
    told = capsys.readouterr()
    return status, told.out, told.err


@pytest.fixture
def path(tmp_path) -> Path:
    found = tmp_path / "a.csv"
    found.write_text("id,prediction\n" + "1,x\n" * 30)
    return Path(found)


# --- how it ends ----------------------------------------------------------------------------------


def test_an_address_that_is_missing_or_cannot_be_asked_is_a_wrong_use_at_once(monkeypatch, capsys):
    for address in (
        *("127.0.0.1:9", "http://", "http://[::1", "http://exa mple", "ftp://x", "http://x/?a"),
    ):
        says = f"“{address}” is no address of a site"
        status, _, told = run(capsys, "--site", address, "releases")
        assert (status, says in told) == (2, True), address
    monkeypatch.delenv("ASSAY_URL")
    status, _, told = run(capsys, "releases")
    assert (status, "ASSAY_URL" in told) == (2, True)


def test_a_token_that_cannot_be_sent_is_told_and_not_repeated(monkeypatch, capsys):
    monkeypatch.setenv("ASSAY_TOKEN", "assay_sëcret")
    status, _, told = run(capsys, "releases")
    assert (status, "Paste it anew" in told, "cret" in told) == (5, True, False)


def answered_by(monkeypatch, handle, **more) -> None:
    """The site that the command asks answers so."""
    made = Site.__init__
    monkeypatch.setattr(
        Site,
        "__init__",
        lambda self, url, token, **others: made(
            self, url, token, transport=httpx2.MockTransport(handle), **{**others, **more}
        ),
    )


@pytest.mark.parametrize(("options", "is_told"), [([], True), (["-q"], False)])
def test_who_waits_for_a_site_is_told_so(options, is_told, monkeypatch, capsys):
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("connection refused")

    ticks = count()
    answered_by(
        monkeypatch,
        refuse,
        patience_seconds=9,
        sleep=lambda _: None,
        clock=lambda: next(ticks),
    )
    status, _, told = run(capsys, *options, "releases")
    assert (status, "does not answer: connection refused" in told) == (3, True)
    assert ("Asking again, for" in told) is is_told


def test_a_file_that_is_wrong_is_told_and_with_a_token_by_the_site(path, capsys, monkeypatch):
    """It has hints that the client has not."""
    status, _, told = run(capsys, "check", str(path))
    lines = told.splitlines()
    assert (status, lines[0]) == (1, "Line 2: “1” is answered 30 times.")
    assert lines[-2:] == ["… and 10 more", "With ASSAY_TOKEN the site says more of it."]

    def refused(*_, **__):
        raise FileRefusedError("Refused.", ["Line 2: “1” is no id. It looks like “one”."])

    monkeypatch.setenv("ASSAY_TOKEN", "assay_any")
    monkeypatch.setattr(Site, "check", refused)
    said = "Refused.\nLine 2: “1” is no id. It looks like “one”.\n"
    assert run(capsys, "check", str(path)) == (1, "", said)
    path.unlink()
    monkeypatch.delenv("ASSAY_TOKEN")
    status, _, told = run(capsys, "check", str(path))
    assert (status, path.name in told) == (2, True)


def test_the_statuses_of_the_readme_are_those_of_the_help():
    of_readme = dict(re.findall(r"^\| (\d) \| (.*?) \|$", README.read_text(), re.MULTILINE))
    of_help = dict(re.findall(r"^  (\d)  (.*)$", command_line.STATUSES, re.MULTILINE))
    assert of_readme == of_help
    assert len(of_help) == 7


def test_the_action_of_github_says_what_the_command_understands():
    steps = README.with_name("action.yml").read_text().partition("runs:")[2]
    sent = set(re.findall(r"--[a-z]+(?![a-z-])", steps)) - {"--quiet"}
    line = ["submit", "--model", "M", "--release", "", "--team", "", "--timeout", "9"]
    line += ["--public", "--wait"]
    options = command_line.parser().parse_args([*line, "--", "f"])
    assert sent == {word for word in line if word.startswith("--")}
    assert (options.public, options.wait, options.file.name) == (True, True, "f")


def test_a_new_version_names_the_old_one_or_a_model_and_not_both(tmp_path, capsys, monkeypatch):
    told = []

    def submit(self, path, **fields):
        told.append(
            {name: value for name, value in fields.items() if value and name != "on_progress"}
        )
        return {"notes": [], "links": {"page": "http://127.0.0.1:9/submissions/1/"}}

    monkeypatch.setattr(Site, "submit", submit)
    assert command_line.main(["submit", "a.csv", "--replaces", "1-a", "--public"]) == 0
    assert told == [{"replaces": "1-a", "visibility": "public"}]
    for arguments in ([], ["--model", "M", "--replaces", "1-a"]):
        with pytest.raises(SystemExit) as ended:
            command_line.main(["submit", "a.csv", *arguments])
        assert ended.value.code == 2
    capsys.readouterr()


def test_a_withdrawal_sends_its_reason(capsys, monkeypatch):
    told = []

    def changed(self, submission_id, what, fields=None):
        told.append((submission_id, what, fields))
        return {"model": "M", "release": "r", "state": "withdrawn", "visibility": "private"}

    monkeypatch.setattr(Site, "_change", changed)
    command = ["withdraw", "1-a", "--reason", "Other weights."]
    assert command_line.main(command) == 2  # nobody can be asked
    assert told == []
    assert command_line.main([*command, "--yes"]) == 0
    assert command_line.main(["retry", "1-a"]) == 0
    assert told == [
        ("1-a", "withdraw", {"reason": "Other weights."}),
        ("1-a", "retry", {"judge": ""}),
    ]
    assert capsys.readouterr().out.startswith("M on r: withdrawn, private")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("said", "is_done"), [("y\n", True), ("\n", False), ("", False)])
def test_a_withdrawal_is_asked_first(said, is_done, capsys, monkeypatch):
    done = []
    document = {"model": "M", "release": "r", "state": "withdrawn", "visibility": "private"}
    monkeypatch.setattr("sys.stdin", Terminal(said))
    monkeypatch.setattr(Site, "watch", lambda *_: document)

    def changed(self, *told):
        done.append(told)
        return document

    monkeypatch.setattr(Site, "_change", changed)
    status, told, _ = run(capsys, "withdraw", "1-a")
    assert (status, bool(done)) == (0, is_done)
    assert told.startswith("Withdraw M on r for good? [y/N] ")
    assert ("Nothing changed." in told) is not is_done


# --- what it prints -------------------------------------------------------------------------------


def test_a_board_as_a_table_has_what_ranks_first():
    assert printing.board_table(BOARD).splitlines() == [
        "Spelling, spelling-1, judged by rules",
        "",
        "rank  model     organisation  size  score  95 % interval   accuracy",
        "1-2   =Speller  Lab           9.6B  645.2  590.0 to 701.5   75.12 %",
        "–     Guesser                 –         –  –                      –",
    ]


def test_a_rank_without_a_range_is_missing():
    """As of what is gone from a hidden test, by sites of an older version."""
    assert printing.rank_of({"rank": 3, "rank_best": None, "rank_worst": None}) == "–"


def test_a_board_as_csv_has_every_figure_and_no_formula():
    assert printing.board_csv(BOARD).splitlines() == [
        "rank,rank best,rank worst,model,organisation,entry,accuracy,accuracy low,accuracy high,"
        "score,score low,score high",
        "1,1,2,'=Speller,Lab,1,0.7512,0.7,0.8,645.25,590.0,701.5",
        ",,,Guesser,,2,,,,,,",
    ]


BENCHMARK = {
    "slug": "spelling",
    "title": "Spelling",
    "ranking": "score",
    "metrics": [
        {"name": "accuracy", "title": "Words right", "unit": "percent"},
        {"name": "score", "title": "Score", "unit": "score"},
        {"name": "empty", "title": "Nothing to count", "unit": "ratio"},
    ],
}


def test_a_score_has_names_units_intervals_and_a_rank():
    (first, _) = cast(list[dict[str, Any]], BOARD["entries"])
    entry = {**first, "visibility": "public", "judge": "rules", "release": "spelling-1"}
    assert printing.score_words(entry, BENCHMARK, entry).splitlines() == [
        "=Speller on spelling-1, judged by rules",
        "Rank 1-2 on the board of Spelling",
        "",
        "                        95 % interval",
        "  Score          645.2  590.0 to 701.5",
        "  Words right  75.12 %  70.00 to 80.00",
    ]
    entry["visibility"] = "private"
    second = printing.score_words(entry, BENCHMARK, None).splitlines()[1]
    assert second == "Private. On the board by: assay publish 1"


def test_a_bar_moves_on_a_terminal_and_elsewhere_each_new_word_is_a_line():
    terminal, quiet, file = Terminal(), Terminal(), io.StringIO()
    for out in (terminal, quiet, file):
        with Progress(out, is_quiet=out is quiet) as progress:
            for done, words in ((0, "sending"), (2, "sending"), (4, "sent")):
                progress.show(words, done, 4)
    assert [part.strip() for part in terminal.getvalue().split("\r\x1b[2K")[1:]] == [
        f"{'░' * 24}   0 %  sending",
        f"{'█' * 12}{'░' * 12}  50 %  sending",
        f"{'█' * 24} 100 %  sent",
    ]
    assert file.getvalue() == "sending\nsent\n"
    assert quiet.getvalue() == ""


def test_a_price_is_told_as_people_write_it():
    prices = {"0.000000": "free", "0.210000": "costs 0.21", "12.000000": "costs 12"}
    assert {cost: printing.price_words(cost) for cost in prices} == prices


CHECKED: dict[str, Any] = {
    "answers": 80,
    "release": "mini",
    "runs_ahead": 2,
    "no_place": None,
    "estimate": {
        "judge": "rules",
        "cost": "0.000000",
        "refusal": "",
        "judgements": 160,
        "reused": 0,
        "calls": 0,
        "seconds": 0.0,
    },
    "notes": [{"code": "bom", "message": "The file begins with a byte order mark, left out."}],
}


def test_a_check_tells_what_it_takes_and_its_notes_unless_quiet(monkeypatch, path, capsys):
    monkeypatch.setenv("ASSAY_TOKEN", "assay_any")
    monkeypatch.setattr(Site, "check", lambda *_, **__: CHECKED)
    out = (
        "Valid: 80 answers for mini; 160 judgements by rules, 0 calls, free; "
        "2 ahead in the queue.\n"
    )
    note = f"Note: {CHECKED['notes'][0]['message']}\n"
    assert run(capsys, "check", str(path)) == (0, out, note)
    assert run(capsys, "-q", "check", str(path)) == (0, out, "")


# --- every exit status ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ((422, {"detail": "Refused.", "problems": [{"line": 3, "message": "?"}]}), 1),
        ((404, {"detail": "There is no release."}), 2),
        ((500, {"detail": "Failed."}), 3),
        ((200, "a page of somebody else"), 3),
        ((401, {"detail": "This token is unknown."}), 5),
        ((403, {"detail": "This token has the scope read."}), 5),
        ((429, {"detail": "Taken.", "next_place": "2026-11-20T10:00:00Z"}), 6),
    ],
)
def test_every_answer_of_a_site_ends_with_its_status(answer, status, monkeypatch, path, capsys):
    code, document = answer
    answered_by(
        monkeypatch,
        lambda request: httpx2.Response(code, json=document, request=request),
        patience_seconds=0,
    )
    found, _, told = run(capsys, "submit", str(path), "--model", "M")
    assert (found, bool(told)) == (status, True)


@pytest.mark.parametrize("state", ["judging", "paused"])
def test_what_is_not_judged_in_time_ends_with_four(state, monkeypatch, capsys):
    found = {"state": state, "sentence": "It goes on.", "runs": []}
    found |= {"judgements": 0, "judgements_done": 0}
    monkeypatch.setattr(Site, "watch", lambda *_: found)
    status, _, told = run(capsys, "watch", "an-id", "--timeout", "0")
    assert (status, "It goes on." in told) == (4, True)


# --- without a site -------------------------------------------------------------------------------


def test_a_file_is_scored_without_a_site_and_prints_the_figures_of_its_board(
    monkeypatch, capsys, tmp_path
):
    monkeypatch.delenv("ASSAY_URL")
    file = PROJECT / "benchmarks/bundled/hallusionbench/answers/lucid-9b.jsonl"
    status, out, _ = run(capsys, "score", "hallusionbench", str(file))
    title, _, _, first, *others = out.splitlines()
    assert (status, title) == (0, "hallusionbench, hallusionbench-mini, judged by rules 4")
    assert re.fullmatch(r"  Overall +\d+\.\d\d %  \d+\.\d\d to \d+\.\d\d", first)
    assert len(others) > 10
    cut = tmp_path / "cut.jsonl"
    cut.write_text(file.read_text()[:500])
    status, out, told = run(capsys, "score", "hallusionbench", str(cut))
    assert (status, out) == (1, "")
    assert told.startswith("It cannot be scored:\n")
