"""The API asked what its own description allows, and what it forbids, by Schemathesis with all of
its checks: as nobody, with the tokens of a reader, a submitter, a publisher and of staff, and in
the browsers of a submitter and of staff, by session cookie and CSRF token.

`make fuzz-api` runs it. What fails prints the request as a line for a shell, and ends it with 1.
"""

import io
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.test import Client
from django.test.testcases import LiveServerThread
from django.test.utils import setup_databases, setup_test_environment, teardown_databases

from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.tokens import create_token
from tests.conftest import SPELLING, judged, submit

SECONDS = {"examples,coverage,fuzzing": 10, "stateful": 4}
"""For each persona, by phases: the second would have no time where the first are slow. Seven of
them, with the start of the site, are within three minutes of CI."""
SEED = 20_261_123
"""Any fixed number: what failed in CI fails here as well."""
CSRF = "c" * 32
BROWSERS = ("submitter", "staff")
SCOPES = {"reader": "read", "submitter": "submit", "publisher": "publish", "staff": "publish"}
FINE = [200, 201, 304, 401, 403, 404, 412]
"""What may be answered to what the description allows: the cases come from one site, and ask for
things of another."""
REASONS = {
    "board": [400],  # a day or a measure that is none; 503 would be a failure here
    "entries_list": [400],  # a release, a model or a benchmark that is none
    "judges_list": [400],
    "models_list": [400],  # a search with NUL, which no database can be asked for
    "submissions_create": [413, 415, 422, 429],  # a release that is none, a file without answers
    "submission_publish": [409],  # what is withdrawn
    "submission_retry": [409, 422],  # nothing failed; a judge with NUL
    "submission_withdraw": [422],  # a reason with characters that nobody sees
    "webhooks_create": [422],  # one more than a person may have; an address that is not public
}
"""What may be answered besides, by operation, although the description allows what was sent."""


def main() -> int:
    logging.disable(logging.CRITICAL)  # or every refusal is a line
    setup_test_environment()
    databases = setup_databases(verbosity=0, interactive=False)
    server = LiveServerThread("127.0.0.1", StaticFilesHandler)
    server.daemon = True
    server.start()
    server.is_ready.wait()
    try:
        return fuzz(f"http://127.0.0.1:{server.port}")
    finally:
        server.terminate()
        teardown_databases(databases, verbosity=0)


def fuzz(url: str) -> int:
    failed = []
    personas = {"anonymous": [], **make_site()}
    configured = configuration()  # before anything is handed in by the fuzzing itself
    for persona, headers in personas.items():
        print(f"--- {persona}", flush=True)
        with written(configured) as path:
            for phases in SECONDS:
                line = command(url, headers, path, phases)
                # in a folder of its own: Schemathesis keeps what it saw where it runs
                if subprocess.run(line, cwd=path.parent, check=False).returncode:
                    failed.append(f"{persona} ({phases})")
    print(f"failed as: {', '.join(failed)}" if failed else "no failure")
    return 1 if failed else 0


def make_site() -> Mapping[str, list[str]]:
    """A board with an entry, a private and a waiting submission; the headers of each persona."""
    people = {name: User.objects.create_user(name) for name in SCOPES if name != "staff"}
    people["staff"] = User.objects.create_superuser("staff")
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(SPELLING), slug="spelling-1"
    ).release
    for owner in people.values():
        judged(submit(release, owner, name=f"Model of {owner.username}"))
        submit(release, owner, name="Waiting", visibility="private")
    tokens = {
        name: create_token(owner=people[name], name="fuzz", scope=scope).key
        for name, scope in SCOPES.items()
    }
    return {
        **{name: [f"Authorization: Bearer {key}"] for name, key in tokens.items()},
        **{f"{name} in a browser": browser_headers(people[name]) for name in BROWSERS},
    }


def browser_headers(user: User) -> list[str]:
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookies = f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={CSRF}"
    return [f"Cookie: {cookies}", f"X-CSRFToken: {CSRF}"]


def configuration() -> str:
    """Names of what there is: random ones would be answered with 404 and nothing else."""
    entry = Submission.objects.filter(visibility="public").first()
    assert entry is not None
    slugs = {
        "benchmark": "spelling",
        "board": "spelling",
        "judge": entry.scoresheets.get().judge_spec.slug,
        "model": entry.model.slug,
        "release": "spelling-1",
        "release_questions": "spelling-1",
    }
    named = {operation: ("slug", slug) for operation, slug in slugs.items()}
    named |= dict.fromkeys(("entry", "entry_verdicts"), ("submission_id", str(entry.pk)))
    lines = [f"checks.positive_data_acceptance.expected-statuses = {json.dumps(FINE)}"]
    for operation in sorted({*named, *REASONS}):
        lines += ["[[operations]]", f'include-operation-id = "{operation}"']
        if operation in named:
            name, value = named[operation]
            lines.append(f'parameters = {{ {name} = "{value}" }}')
        statuses = json.dumps([*FINE, *REASONS.get(operation, ())])
        lines.append(f"checks.positive_data_acceptance.expected-statuses = {statuses}")
    return "\n".join(lines) + "\n"


@contextmanager
def written(configuration: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schemathesis.toml"
        path.write_text(configuration)
        yield path


def command(url: str, headers: Sequence[str], path: Path, phases: str) -> list[str]:
    program = [sys.executable, "-m", "schemathesis.cli", f"--config-file={path}", "run"]
    options = [
        f"{url}/api/v1/schema/",
        "--checks=all",
        f"--phases={phases}",
        f"--max-time={SECONDS[phases]}",
        f"--seed={SEED}",
        "--warnings=off",
        "--generation-database=none",
        "--suppress-health-check=all",
        "--output-sanitize=false",
    ]
    return [*program, *options, *(f"--header={header}" for header in headers)]


if __name__ == "__main__":
    sys.exit(main())
