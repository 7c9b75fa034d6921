"""The same answers, judged through Celery on PostgreSQL + Redis and on the default configuration:
identical numbers.

Real processes on both sides: web, worker and broker under the supervisor, submissions over the API.
"""

import json
import os
import time
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.site import Site, running_site

pytestmark = pytest.mark.services
RELEASE = "hallusionbench-mini"
JUDGED_SECONDS = 240
QUESTIONS = f"""
from benchmarks.models import ReleaseQuestion
asked = ReleaseQuestion.objects.filter(release__slug="{RELEASE}").order_by("position")
print(*asked.values_list("question__public_id", flat=True))
"""
NEW_TOKEN = """
from django.contrib.auth.models import User
from benchmarks.submissions.tokens import create_token
print(create_token(owner=User.objects.get(username="researcher"), name="drill", scope="submit").key)
"""
PUBLISH = f"""
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility
for submission in Submission.objects.filter(release__slug="{RELEASE}", origin="upload"):
    set_visibility(submission=submission, visibility="public")
"""

IS_IDLE = """
from leaderboard.operations.sweeps import is_anything_due
print(not is_anything_due())
"""


def files_for(ids: list[str]) -> dict[str, bytes]:
    """Answer files by model: always yes, and two coins."""
    models = {"Yes": dict.fromkeys(ids, "Yes.")}
    for seed in (11, 12):
        tosses = np.random.default_rng(seed).integers(2, size=len(ids))
        said = (("Yes.", "No.")[toss] for toss in tosses)
        models[f"Coin {seed}"] = dict(zip(ids, said, strict=True))
    return {model: as_jsonl(answers) for model, answers in models.items()}


def as_jsonl(answers: dict[str, str]) -> bytes:
    return "\n".join(
        json.dumps({"id": key, "prediction": text}) for key, text in answers.items()
    ).encode()


def call(site: Site, path: str, token: str, body: bytes | None = None, boundary: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    if boundary:
        headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
    request = urllib.request.Request(f"{site.url}api/v1/{path}", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def upload(site: Site, token: str, model: str, content: bytes) -> None:
    boundary = uuid.uuid4().hex
    fields = {"release": RELEASE, "model": model}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'
        for k, v in fields.items()
    ]
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.jsonl"\r\n\r\n'
    )
    body = "".join(parts).encode() + head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    call(site, "submissions/", token, body, boundary)


def board_numbers(site: Site) -> dict[str, Any]:
    """Rank range, counts and every figure of each model, samples and baselines too, once the site's
    worker has nothing left to do."""
    files = files_for(site.manage("shell", "-v", "0", "-c", QUESTIONS).split())
    token = site.manage("shell", "-v", "0", "-c", NEW_TOKEN).strip()
    for model, content in files.items():
        upload(site, token, model, content)
    site.manage("shell", "-v", "0", "-c", PUBLISH)
    end = time.monotonic() + JUDGED_SECONDS
    while time.monotonic() < end:
        if site.manage("shell", "-v", "0", "-c", IS_IDLE).strip() == "True":
            board = json.loads(site.manage("export_board", "hallusionbench", "--format", "json"))
            found = {entry["model"]: numbers(entry) for entry in board["entries"]}
            if board["release"] == RELEASE and found.keys() >= files.keys():
                return found
        time.sleep(5)  # every command costs the worker as much
    raise AssertionError("the worker did not judge the submissions in time")


def numbers(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        key: entry[key]
        for key in ("rank_best", "rank_worst", "judged", "unreadable", "failed", "figures")
    }


@pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="needs `make test-services`")
def test_both_configurations_give_identical_numbers(tmp_path: Path):
    (tmp_path / "default").mkdir()
    (tmp_path / "servers").mkdir()
    with running_site(tmp_path / "default", is_small=True) as site:
        on_defaults = board_numbers(site)
    database, broker = os.environ["DATABASE_URL"], os.environ["BROKER_URL"]
    with running_site(
        tmp_path / "servers", is_small=True, DATABASE_URL=database, BROKER_URL=broker
    ) as site:
        on_servers = board_numbers(site)
    assert on_servers == on_defaults
