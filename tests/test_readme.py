"""Every command of README.md and of the pages that continue it is run as it stands there, one
after the other, in a folder of its own.

What a reader puts in is put in: an address, a key, the id of a submission. The files that the words
tell to download are small ones in the same layout. Commands of make start what other tests start.
"""

import base64
import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.provider.running import running_provider
from tests.site import PROJECT, answers

PAGES = (
    "README.md",
    "docs/operator/index.md",
    "docs/operator/releases.md",
    "docs/operator/judges.md",
    "docs/visitor/handing_in.md",
)
TEXT = "\n".join((PROJECT / page).read_text() for page in PAGES)
BUNDLED = PROJECT / "benchmarks" / "bundled"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NO_COMMANDS = {"json"}
"""Languages of blocks that no shell reads; whatever has another is run."""
OF_MAKE = {
    "make demo": "manage.py demo",
    "make test": "-m pytest",
    "make site": "deploy/run_site.py --demo",
}
"""What each starts: whole sites of tests start by the first and the last, CI by the other."""
SECONDS = 300
"""For a command: one judges for a few seconds, on a machine that may be busy."""


def commands() -> list[str]:
    blocks = (text for language, text in BLOCK.findall(TEXT) if language not in NO_COMMANDS)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


@pytest.mark.parametrize("command", OF_MAKE)
def test_a_command_of_make_starts_what_tests_start(command):
    assert command in commands()
    asked = ["make", "--dry-run", "--silent", *command.split()[1:]]
    shown = subprocess.run(asked, cwd=PROJECT, capture_output=True, text=True, check=True)
    assert OF_MAKE[command] in shown.stdout


def test_the_other_commands_are_of_programs_that_the_test_below_runs():
    """What begins otherwise needs a thought of how to run it."""
    programs = re.compile(r"(?:JUDGE_\w+=\S+ )*\.venv/bin/python manage\.py \w+|curl |make ")
    assert [line for line in commands() if not programs.match(line)] == []
    assert [line for line in commands() if line.startswith("make ") and line not in OF_MAKE] == []


# --- the files ------------------------------------------------------------------------------------


def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (8, 8), "teal").save(file, "PNG")
    return file.getvalue()


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


def write_lines(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def write_files(folder: Path) -> None:
    """What the pages tell to have: three questions of HallusionBench, four of TouchStone, two of
    each dataset of the eHub."""
    common = {"category": "VS", "subcategory": "chart", "set_id": "0", "question_id": "0"}
    common |= {"question": "Is it so?", "gt_answer_details": "It is so."}
    rows: list[dict[str, Any]] = [
        {**common, "figure_id": figure, "visual_input": figure, "gt_answer": answer}
        for figure, answer in (("0", "1"), ("1", "1"), ("2", "0"))
    ]
    rows[0]["filename"] = None
    for row in rows[1:]:
        row["filename"] = f"./VS/chart/0_{row['figure_id']}.png"
    write(folder / "HallusionBench.json", rows)
    for figure in "12":
        write(folder / "hallusion_bench" / "VS" / "chart" / f"0_{figure}.png", picture())
    expected = {"aAcc": [1, 3], "qAcc": [0, 1], "fAcc": [1, 2]}
    cases = [{"verdicts": "010", "same": "100", "expected": expected}]
    write(folder / "cases.json", {"about": "one", "cases": cases})
    ids = [f"VS/chart/0/{figure}/0" for figure in "012"]
    write_lines(folder / "answers.jsonl", [{"id": key, "prediction": "Yes."} for key in ids])

    rows = json.loads((BUNDLED / "touchstone" / "questions.json").read_bytes())[:4]
    drawn = base64.b64encode(picture()).decode()
    with (folder / "touchstone.tsv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], delimiter="\t", lineterminator="\n")
        table.writeheader()
        table.writerows({**row, "image": drawn} for row in rows)
    prompts = PROJECT / "benchmarks" / "protocols" / "touchstone" / "prompts" / "v2.toml"
    mine = prompts.read_text().replace('version = "v2"', 'version = "my-prompts"')
    (folder / "my-prompts.toml").write_text(mine)

    suite = json.loads((BUNDLED / "tiny_lvlm_ehub" / "questions.json").read_bytes())
    for name in ("ImageNet", "IC15", "VirtualHome"):
        write(folder / "datasets" / f"{name}.json", suite[name][:2])
        for row in suite[name][:2]:
            write(folder / "images" / row["image_path"], picture())
    abilities = json.loads((BUNDLED / "tiny_lvlm_ehub_ability" / "questions.json").read_bytes())
    records = [
        {"dataset": name, **{key: text for key, text in row.items() if key != "image_path"}}
        for name, those in abilities.items()
        for row in those[:2]
    ]
    write_lines(folder / "ability.jsonl", records)


# --- the reader -----------------------------------------------------------------------------------


class Reader:
    """Somebody in a checkout that has the files in it."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self.folder, self.endpoint = folder, endpoint
        (folder / "manage.py").symlink_to(PROJECT / "manage.py")
        (folder / ".venv").symlink_to(sys.prefix)
        own = ("DJANGO_SETTINGS_MODULE", "BROKER_URL", "DATABASE_URL", "EMAIL_URL")
        kept = {name: text for name, text in os.environ.items() if name not in own}
        self.environment = {
            **kept,
            "VAR_DIR": str(folder / "var"),
            "SECRET_KEY": "tests-only-key-that-protects-nothing-at-all",
            "JUDGE_ENDPOINTS": f"main={endpoint}",
        }
        self.filled_in = {
            "https://api.example.org/v1": endpoint,
            "JUDGE_KEY_MAIN=…": "JUDGE_KEY_MAIN=any",
        }

    def run(self, command: str) -> str:
        for asked, given in self.filled_in.items():
            command = command.replace(asked, given)
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def manage(self, arguments: str) -> str:
        return self.run(f".venv/bin/python manage.py {arguments}")

    def submit(self, release: str, rows: Sequence[Mapping[str, Any]]) -> str:
        """The id of a submission of these answers."""
        write_lines(self.folder / f"{release}.jsonl", rows)
        told = self.manage(
            f'submit {release} {release}.jsonl --model "Mine" --owner you@example.org --public'
        )
        found = re.search(r"Accepted as submission (\S+):", told)
        assert found, told
        return found[1]


def have_ratings(reader: Reader) -> None:
    """A submission whose plans were rated, and the ratings as a file."""
    rows = [
        {"dataset": path.stem, "question_id": record["question_id"], "answer": "Walk there."}
        for path in sorted((reader.folder / "datasets").iterdir())
        for record in json.loads(path.read_bytes())
    ]
    entry = reader.submit("tiny-lvlm-ehub", rows)
    text = (BUNDLED / "tiny_lvlm_ehub" / "ratings" / "lucid-9b.csv").read_text().splitlines()
    rated = [
        line for line in text[1:] if line.startswith(("VirtualHome/000001", "VirtualHome/000002"))
    ]
    lines = [f"entry,{text[0]}", *(f"{entry},{line}" for line in rated)]
    (reader.folder / "ratings.csv").write_text("\n".join(lines) + "\n")


def have_a_submission_to_ask_about(reader: Reader) -> None:
    rows = json.loads((BUNDLED / "touchstone" / "questions.json").read_bytes())[:4]
    answered = [{"id": row["index"], "prediction": "A rocket."} for row in rows]
    reader.filled_in["SUBMISSION"] = reader.submit("touchstone", answered)


NEW_TOKEN = (
    "from django.contrib.auth.models import User; "
    "from benchmarks.submissions.tokens import create_token; "
    "print(create_token(owner=User.objects.get(), name='script', scope='submit').key)"
)


def have_a_mini_and_a_token(reader: Reader) -> None:
    """What a demo has: the request of handing_in.md is for its release."""
    questions = BUNDLED / "hallusionbench" / "questions.json"
    reader.manage(f"import_release hallusionbench {questions} --slug hallusionbench-mini")
    reader.filled_in["assay_…"] = reader.manage(f'shell -v 0 -c "{NEW_TOKEN}"').split()[-1]
    answered = (BUNDLED / "hallusionbench" / "answers" / "terse-2b.jsonl").read_text()
    (reader.folder / "answers.jsonl").write_text(answered)


BEFORE: Mapping[str, Callable[[Reader], None]] = {
    "import_ratings": have_ratings,
    "--estimate": have_a_submission_to_ask_about,
    "curl ": have_a_mini_and_a_token,
}
"""What the pages take as given, by words of the command that needs it."""


@contextmanager
def serving(reader: Reader) -> Iterator[None]:
    """A web server, whose address is put in."""
    log = reader.folder / "web.txt"
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", "0"],
            cwd=reader.folder,
            env=reader.environment,
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end and process.poll() is None:
                found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
                if found and answers(f"{found[0]}/health/live"):
                    reader.filled_in["http://127.0.0.1:8000"] = found[0]
                    yield
                    return
                time.sleep(0.2)
            raise AssertionError(log.read_text())
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)


@pytest.mark.slow
def test_every_command_runs_as_it_stands(tmp_path):
    write_files(tmp_path)
    with running_provider(reply="auto") as provider:
        reader = Reader(tmp_path, provider.url)
        told: dict[str, str] = {}
        for command in (line for line in commands() if line not in OF_MAKE):
            for words, prepare in BEFORE.items():
                if words in command:
                    prepare(reader)
            if command.startswith("curl "):
                with serving(reader):
                    told[command] = reader.run(command)
            else:
                told[command] = reader.run(command)
        asked = provider.stats(with_answers=False)
    (sent,) = (json.loads(text) for line, text in told.items() if line.startswith("curl "))
    assert (sent["release"], sent["state"]) == ("hallusionbench-mini", "waiting")
    assert asked["requests"] > 20
