"""The whole way with the client and nothing else, against a whole site with its worker: a broken
file, a mended one, a lost connection, a score, a published entry, a new version of it, and what is
left once that is withdrawn."""

import csv
import io
import json
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.clients.python.losing import losing
from tests.processes import comes_true
from tests.site import running_site

pytestmark = [pytest.mark.slow]
RELEASE = "hallusionbench-mini"
MODEL = "Journey 1B"
TOKENS = """
from django.contrib.auth.models import User
from benchmarks.submissions.tokens import create_token
owner = User.objects.get(username="researcher")
for scope in ("submit", "publish"):
    print("key", create_token(owner=owner, name=scope, scope=scope).key)
"""
HANDED_IN = f"""
from benchmarks.submissions.models import Submission
print("count", Submission.objects.filter(model__name={MODEL!r}).count())
"""


def broken(template: str) -> str:
    """Without the last question, and with the first one twice."""
    rows = list(csv.reader(io.StringIO(template)))
    out = io.StringIO()
    csv.writer(out).writerows([*rows[:2], *rows[1:-1]])
    return out.getvalue()


def ids_on_board(told: str) -> list[str]:
    """Of the model's entries."""
    entries = json.loads(told)["entries"]
    return [entry["id"] for entry in entries if entry["model"] == MODEL]


def status_of(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_file_becomes_a_published_entry_and_a_tombstone(
    installed, tmp_path: Path, record_testsuite_property
):
    with running_site(tmp_path, is_small=True) as site:
        printed = site.manage("shell", "-c", TOKENS).splitlines()
        submit, publish = (line.split()[1] for line in printed if line.startswith("key "))

        def assay(*words: str, token: str = submit, url: str = site.url):
            return installed.run(*words, site=url, token=token, at=tmp_path)

        answers = tmp_path / "answers.csv"
        assert assay("template", RELEASE, "--fill", "Yes.", "--out", answers.name).status == 0
        mended = answers.read_text()

        answers.write_text(broken(mended))
        refused = assay("check", answers.name, "--release", RELEASE)
        assert (refused.status, refused.out) == (1, "")
        assert "is already on line" in refused.errors
        assert "answers is missing" in refused.errors
        assert assay("submit", answers.name, "--model", MODEL).status == 1

        answers.write_text(mended)
        valid = assay("check", answers.name, "--release", RELEASE)
        assert valid.status == 0, valid.errors
        assert valid.out.startswith(f"Valid: 80 answers for {RELEASE}; 160 judgements by ")
        assert "0 calls, free" in valid.out

        began = time.monotonic()
        with losing(site.url) as line:
            words = ("submit", answers.name, "--model", MODEL, "--release", RELEASE, "--wait")
            done = assay(*words, url=line.url)
            seconds = time.monotonic() - began
            quiet = assay("-q", *words, url=line.url)
        record_testsuite_property("seconds to a score over a line lost three times", seconds)
        assert done.status == 0, done.errors
        assert line.lost == ["POST half way", "POST unanswered", "GET unanswered"]
        assert line.through[0] == "POST 200"  # it was accepted before, unseen
        assert f"{MODEL} on {RELEASE}, judged by" in done.out
        submission = done.out.splitlines()[0].rstrip("/").rpartition("/")[2]

        assert (quiet.status, quiet.errors) == (0, "")
        assert quiet.out == done.out  # sent again, the same submission
        assert "count 1" in site.manage("shell", "-c", HANDED_IN)

        assert assay("publish", submission).status == 5
        published = assay("publish", submission, token=publish)
        assert published.out == f"{MODEL} on {RELEASE}: judged, public\n"
        board = ("board", "hallusionbench", "--format", "json")
        assert comes_true(lambda: ids_on_board(assay(*board, token="").out) == [submission])
        assert status_of(f"{site.url}entries/{submission}/")[0] == 200

        answers.write_text(mended.replace("Yes.", "No."))
        newer = ("submit", answers.name, "--replaces", submission, "--public", "--wait")
        replaced = assay(*newer, token=publish)
        assert replaced.status == 0, replaced.errors
        second = replaced.out.splitlines()[0].rstrip("/").rpartition("/")[2]
        assert comes_true(lambda: ids_on_board(assay(*board, token="").out) == [second])
        status, page = status_of(f"{site.url}entries/{submission}/")
        assert (status, f"/entries/{second}/" in page) == (410, True)

        reason = "Its answers were wrong."
        withdrawn = assay("withdraw", second, "--reason", reason, "--yes", token=publish)
        assert withdrawn.out == f"{MODEL} on {RELEASE}: withdrawn, private\n", withdrawn.errors
        assert comes_true(lambda: not ids_on_board(assay(*board, token="").out))
        status, page = status_of(f"{site.url}entries/{second}/")
        assert (status, "Its answers were wrong." in page) == (410, True)
        assert assay("publish", second, token=publish).status == 2
