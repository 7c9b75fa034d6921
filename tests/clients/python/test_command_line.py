"""The command line as a script has it: what it prints, and how it ends."""

import io
import re
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from assay import FileRefusedError, Site, SiteAwayError, command_line, printing
from assay.progress import Progress

README = Path(command_line.__file__).parents[2] / "README.md"
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


# --- how it ends ----------------------------------------------------------------------------------


def test_a_missing_address_is_a_wrong_use(monkeypatch, capsys):
    monkeypatch.delenv("ASSAY_URL")
    assert command_line.main(["releases"]) == 2
    assert "ASSAY_URL" in capsys.readouterr().err


def test_a_site_that_is_away_ends_with_three(monkeypatch, capsys):
    def away(self):
        raise SiteAwayError("http://127.0.0.1:9 does not answer: refused")

    monkeypatch.setattr(Site, "releases", away)
    assert command_line.main(["releases"]) == 3
    assert capsys.readouterr().err == "http://127.0.0.1:9 does not answer: refused\n"


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:9", "http://", "http://[::1", "http://exa mple", "ftp://x", "http://x/?a"],
)
def test_an_address_that_cannot_be_asked_is_a_wrong_use_at_once(address, capsys):
    assert command_line.main(["--site", address, "releases"]) == 2
    assert f"“{address}” is no address of a site" in capsys.readouterr().err


def test_a_token_that_cannot_be_sent_is_told_and_not_repeated(monkeypatch, capsys):
    monkeypatch.setenv("ASSAY_TOKEN", "assay_sëcret")
    assert command_line.main(["releases"]) == 5
    told = capsys.readouterr().err
    assert "Paste it anew" in told
    assert "cret" not in told


@pytest.mark.parametrize(("options", "is_told"), [([], True), (["-q"], False)])
def test_who_waits_for_a_site_is_told_so(options, is_told, monkeypatch, capsys):
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("connection refused")

    made = Site.__init__

    def quick(self, url, token, **more):
        clock = iter(range(1000))
        made(
            self,
            url,
            token,
            patience_seconds=9,
            transport=httpx2.MockTransport(refuse),
            sleep=lambda _: None,
            clock=lambda: next(clock),
            **more,
        )

    monkeypatch.setattr(Site, "__init__", quick)
    assert command_line.main([*options, "releases"]) == 3
    told = capsys.readouterr().err
    assert "does not answer: connection refused" in told
    assert ("Asking again, for" in told) is is_told


def test_a_file_that_is_wrong_is_told_without_a_token(tmp_path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("id,prediction\n" + "1,x\n" * 30)
    assert command_line.main(["check", str(path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Line 2: “1” is answered 30 times."
    assert lines[-2:] == ["… and 10 more", "With ASSAY_TOKEN the site says more of it."]


def test_with_a_token_the_site_says_what_is_wrong(tmp_path, capsys, monkeypatch):
    """It has hints that the client has not."""

    def refused(*_, **__):
        raise FileRefusedError("Refused.", ["Line 2: “1” is no id. It looks like “one”."])

    path = tmp_path / "a.csv"
    path.write_text("id,prediction\n1,x\n1,x\n")
    monkeypatch.setenv("ASSAY_TOKEN", "assay_any")
    monkeypatch.setattr(Site, "check", refused)
    assert command_line.main(["check", str(path)]) == 1
    assert capsys.readouterr().err == "Refused.\nLine 2: “1” is no id. It looks like “one”.\n"


def test_a_file_that_is_not_there_is_a_wrong_use(tmp_path, capsys):
    assert command_line.main(["check", str(tmp_path / "none.csv")]) == 2
    assert "none.csv" in capsys.readouterr().err


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
        told.append({name: value for name, value in fields.items() if value and name != "told"})
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


@pytest.mark.parametrize(("said", "is_done"), [("y\n", True), ("\n", False), ("", False)])
def test_a_withdrawal_is_asked_first(said, is_done, capsys, monkeypatch):
    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    done = []
    document = {"model": "M", "release": "r", "state": "withdrawn", "visibility": "private"}
    monkeypatch.setattr("sys.stdin", Keyboard(said))
    monkeypatch.setattr(Site, "watch", lambda *_: document)

    def changed(self, *told):
        done.append(told)
        return document

    monkeypatch.setattr(Site, "_change", changed)
    assert command_line.main(["withdraw", "1-a"]) == 0
    assert bool(done) is is_done
    told = capsys.readouterr().out
    assert told.startswith("Withdraw M on r for good? [y/N] ")
    assert ("Nothing changed." in told) is not is_done


# --- what it prints -------------------------------------------------------------------------------


def test_a_board_as_a_table_has_what_ranks_first():
    assert printing.board_table(BOARD).splitlines() == [
        "Spelling, spelling-1, judged by rules",
        "",
        "rank  model     organisation  score  95 % interval   accuracy",
        "1-2   =Speller  Lab           645.2  [590.0, 701.5]   75.12 %",
        "–     Guesser                     –  –                      –",
    ]


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
        "  Score          645.2  [590.0, 701.5]",
        "  Words right  75.12 %  [70.00 %, 80.00 %]",
    ]
    entry["visibility"] = "private"
    second = printing.score_words(entry, BENCHMARK, None).splitlines()[1]
    assert second == "Private. On the board by: assay publish 1"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_moves_on_a_terminal():
    out = Terminal()
    with Progress(out) as progress:
        progress.show("sending", 0, 4)
        progress.show("sending", 2, 4)
    assert [part.strip() for part in out.getvalue().split("\r\x1b[2K")[1:]] == [
        f"{'░' * 24}   0 %  sending",
        f"{'█' * 12}{'░' * 12}  50 %  sending",
    ]


def test_elsewhere_each_new_word_is_a_line():
    out = io.StringIO()
    with Progress(out) as progress:
        for done, words in ((0, "judging"), (1, "judging"), (2, "judged")):
            progress.show(words, done, 2)
    assert out.getvalue() == "judging\njudged\n"


def test_nothing_moves_for_who_wants_it_quiet():
    out = Terminal()
    with Progress(out, is_quiet=True) as progress:
        progress.show("sending", 2, 4)
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("cost", "words"),
    [("0.000000", "free"), ("0.210000", "costs 0.21"), ("12.000000", "costs 12")],
)
def test_a_price_is_told_as_people_write_it(cost, words):
    assert printing.price_words(cost) == words


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


@pytest.mark.parametrize("options", [[], ["-q"]])
def test_a_check_tells_what_it_takes_and_its_notes_unless_quiet(
    options, monkeypatch, tmp_path, capsys
):
    monkeypatch.setenv("ASSAY_TOKEN", "assay_any")
    monkeypatch.setattr(Site, "check", lambda *_, **__: CHECKED)
    assert command_line.main([*options, "check", str(tmp_path / "a.csv")]) == 0
    told = capsys.readouterr()
    assert told.out == (
        "Valid: 80 answers for mini; 160 judgements by rules, 0 calls, free; "
        "2 ahead in the queue.\n"
    )
    assert told.err == ("" if options else f"Note: {CHECKED['notes'][0]['message']}\n")


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
def test_every_answer_of_a_site_ends_with_its_status(answer, status, monkeypatch, tmp_path, capsys):
    code, document = answer
    path = tmp_path / "a.txt"
    path.write_text("1=two")
    answering = httpx2.MockTransport(
        lambda request: httpx2.Response(code, json=document, request=request)
    )
    made = Site.__init__
    monkeypatch.setattr(
        Site,
        "__init__",
        lambda self, url, token, **_: made(
            self, url, token, patience_seconds=0, transport=answering
        ),
    )
    assert command_line.main(["submit", str(path), "--model", "M"]) == status
    assert capsys.readouterr().err


@pytest.mark.parametrize("state", ["judging", "paused"])
def test_what_is_not_judged_in_time_ends_with_four(state, monkeypatch, capsys):
    found = {"state": state, "sentence": "It goes on.", "runs": []}
    found |= {"judgements": 0, "judgements_done": 0}
    monkeypatch.setattr(Site, "watch", lambda *_: found)
    assert command_line.main(["watch", "an-id", "--timeout", "0"]) == 4
    assert "It goes on." in capsys.readouterr().err
