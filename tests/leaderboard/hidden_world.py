"""A hidden test in two worlds that differ in the label of one question, and all that an attacker
can ask of it.

Some entries answer that question by the one word and some by the other, so that their verdicts
differ; the secret is one by which their rounded scores do not. Whatever else differs between the
answers of the two worlds tells the label.
"""

import hashlib
import io
import json
import re
import uuid
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, User
from django.core.cache import caches
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management.color import no_style
from django.db import connection
from django.test import Client

from benchmarks.models import Benchmark, Question, Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.archives import make_archive
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import ensure_baselines
from benchmarks.submissions.services import accept_submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from benchmarks.submissions.tokens import create_token
from judging.engine.engine import judge_run
from judging.models import JudgeSpec
from judging.panel.models import RatingFile
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import BoardSnapshot
from leaderboard.models.notices import Notice, Webhook, WebhookDelivery
from leaderboard.operations.files.data_exports import write_export
from leaderboard.people.notices.mailing import message_of
from leaderboard.people.notices.telling import tell_people
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.chain.links import link_waiting
from leaderboard.results.scoresheets.hidden_tests import random_share, rounded
from leaderboard.results.services import score_run
from leaderboard.results.studies.stored import refresh_reports
from leaderboard.web.evidence.archive import make_evidence_archives
from tests.conftest import confirmed
from tests.judging.panel.files import LABELLED, imported, upload
from tests.routes import Route

WORDS = ("ochre", "umber")
"""The label of the question that the worlds differ in."""
ASKED = 18  # of those that a dry run would try
QUESTIONS = 40
SHARE = 1 / 4  # ten answers of forty
ENTRIES = (
    # name, who, visibility, how many others are right, what it answers to the question
    ("Own public", "owner", "public", 22, WORDS[0]),
    ("Own private", "owner", "private", 23, WORDS[0]),
    ("Own other", "owner", "private", 23, WORDS[1]),
    ("Of the team", "team", "public", 9, WORDS[1]),
    ("Anothers", "stranger", "public", 31, WORDS[0]),
    ("Of nobody", "stranger", "public", 31, "neither"),
)
FEW = ("Own private", "Anothers", "Draft")
PERSONAS = (
    *("anonymous", "stranger", "owner", "member", "annotator"),
    *("token read", "token publish", "token stranger"),
)


def dataset(label: str) -> bytes:
    return "\n".join(
        f"{n}|word {n}|{label if n == ASKED else f'spelt{n}'}" for n in range(QUESTIONS)
    ).encode()


def answers_of(right: int, asked: str) -> dict[str, str]:
    others = [n for n in range(QUESTIONS) if n != ASKED]
    good = {n: f"spelt{n}" for n in others[:right]}
    return {str(n): asked if n == ASKED else good.get(n, "wrong") for n in range(QUESTIONS)}


def file_of(answers: dict[str, str]) -> bytes:
    rows = ({"id": key, "prediction": text} for key, text in answers.items())
    return "\n".join(map(json.dumps, rows)).encode()


def shown(secret: str, right: int, asked: str, label: str) -> float:
    texts = answers_of(right, asked).values()
    random = random_share(Release(rounding_secret=secret), texts)
    return rounded((right + (asked == label)) / QUESTIONS, (0.0, 1.0), SHARE, random)


def secret_that_tells_nothing() -> str:
    """By which every entry has the same score in both worlds: of a few, one is."""
    secrets = (hashlib.sha256(str(n).encode()).hexdigest() for n in count())
    return next(
        secret
        for secret in secrets
        if all(
            shown(secret, right, asked, WORDS[0]) == shown(secret, right, asked, WORDS[1])
            for *_, right, asked in ENTRIES
        )
    )


@dataclass
class HiddenWorld:
    label: str
    release: Release
    people: dict[str, User]
    tokens: dict[str, str]
    draft: Submission
    names: dict[str, str] = field(default_factory=dict)
    few: bool = False

    @property
    def submissions(self) -> list[str]:
        """Those whose addresses are asked for: all, or one of each kind."""
        kinds = {f"<{name}>" for name in FEW} if self.few else set(self.names.values())
        return [key for key, name in self.names.items() if name in kinds]

    @cached_property
    def secrets(self) -> list[str]:
        """Whoever knows all labels but some would find these by trying."""
        hashes = Question.objects.values_list("content_hash", flat=True)
        return [
            text[:12] for text in (self.release.checksum, self.release.rounding_secret, *hashes)
        ]

    def client(self, persona: str) -> Client:
        client = Client(raise_request_exception=False)
        if persona.startswith("token"):
            client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {self.tokens[persona]}"
        elif persona != "anonymous":
            client.force_login(self.people[persona])
        return client


# --- building -------------------------------------------------------------------------------------


def build_world(label: str) -> HiddenWorld:
    caches["pages"].clear()  # of the other world
    # PostgreSQL gives the numbers of rows that were rolled back to nobody else.
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), apps.get_models()):
            cursor.execute(statement)
    people = {
        name: confirmed(
            User.objects.create_user(name, f"{name}@example.org", "a long enough password")
        )
        for name in ("owner", "stranger", "member", "annotator")
    }
    people["annotator"].is_staff = True
    people["annotator"].save()
    people["annotator"].groups.add(Group.objects.get(name="annotators"))
    team = found_team(name="The Spellers", by=people["owner"])
    Membership.objects.create(team=team, user=people["member"])
    tell_people()  # from here on
    for person in ("owner", "member"):
        Webhook.objects.create(
            owner=people[person], url="https://example.org/", secret="s" * 32, on_finished=True
        )
    release = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(dataset(label)),
        slug="hidden",
        disclosure="hidden_test",
    ).release
    Release.objects.filter(pk=release.pk).update(rounding_secret=secret_that_tells_nothing())
    release.refresh_from_db()
    make_archive(release)
    submissions = [*ensure_baselines(release=release)]
    for name, who, visibility, right, asked in ENTRIES:
        submissions.append(
            accept_submission(
                release=release,
                upload=Upload("answers.jsonl", file_of(answers_of(right, asked))),
                model=EvaluatedModel(name=name),
                owner=people["owner" if who == "team" else who],
                team=team if who == "team" else None,
                visibility=visibility,
            )
        )
    for submission in submissions:
        judge(submission)
    draft = accept_submission(
        release=release,
        upload=Upload("answers.jsonl", file_of(answers_of(5, WORDS[0]))),
        model=EvaluatedModel(name="Draft"),
        owner=people["owner"],
        visibility="private",
        confirm=False,
    )
    rate(next(s for s in submissions if s.model.name == "Own public"))
    link_waiting()
    tell_people()
    refresh_boards()
    make_evidence_archives()
    refresh_reports()
    tokens = {
        "token read": create_token(owner=people["owner"], name="r", scope="read").key,
        "token publish": create_token(owner=people["owner"], name="p", scope="publish").key,
        "token stranger": create_token(owner=people["stranger"], name="s", scope="publish").key,
    }
    world = HiddenWorld(label, release, people, tokens, draft)
    world.names = {str(s.pk): f"<{s.model.name}>" for s in (*submissions, draft)}
    return world


def judge(submission: Submission) -> None:
    spec = ensure_spec(of=protocol("spelling"), kind="rules")
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    judge_run(run_id=run.pk)
    score_run(run=run)


def rate(submission: Submission) -> None:
    """Two people call the answer to the question right, whatever its label is."""
    lines = [f"{submission.pk},{ASKED},{rater},correct" for rater in ("x", "y")]
    imported(upload(*lines, header=LABELLED))


# --- asking ---------------------------------------------------------------------------------------

LABELLED_BY_OFFICE = re.compile(r"^admin/")
"""Whoever writes references and labels reads them in the admin; tests/permissions.toml says who."""
KINDS = {
    "board-export": ("csv", "json", "jsonl", "tex"),
    "entry-answers": ("csv", "jsonl", "parquet"),
    "submission-verdicts": ("csv", "jsonl", "parquet"),
    "study-file": ("csv", "json"),
}
QUERIES = {
    "board": ("", "?ranges=together", "?q=own", "?sort=accuracy", "?by=double"),
    "board-history": ("", "?page=2"),
    "home": ("", "?q=own"),
    "search": ("?q=own",),
    "search-suggest": ("?q=own",),
    "compare": ("", "?m=own-public&m=anothers"),
    "board-questions": ("", "?order=hard", "?order=apart"),
    "entry": ("", "?outcome=right", "?outcome=wrong", "?page=2"),
    "submit": ("",),
}


def values_of(parameter: str, route: Route, world: HiddenWorld) -> list[Any]:
    """What may stand there. Raises KeyError for a parameter that nobody said anything of."""
    asked = Question.objects.get(public_id=str(ASKED)).pk
    slugs: dict[str, Any] = {"judge": JudgeSpec, "model": EvaluatedModel, "release": Release}
    name = route.name.removeprefix("api-").partition("-")[0]
    nothing = uuid.UUID(int=1)
    return {
        "slug": list(slugs.get(name, Benchmark)._default_manager.values_list("slug", flat=True)),
        "submission_id": world.submissions,
        "question_id": [asked, Question.objects.order_by("pk")[0].pk],
        "kind": list(KINDS.get(route.name, ("csv",))),
        "chart": ["lead", "spider", "heat"],
        "section": ["site", "boards", "entries", "models", "releases"],
        "image_id": [1],
        "study_id": [nothing],
        "file_id": list(RatingFile.objects.values_list("pk", flat=True)),
        "refused_id": [nothing],
        "key": ["nothing"],
        "signed": ["nothing"],
        "webhook_id": list(Webhook.objects.values_list("pk", flat=True)),
        "team_id": list(world.people["owner"].memberships.values_list("team", flat=True)),
        "user_id": [world.people["member"].pk],
        "token_id": [1],
        "invitation_id": [1],
        "device_id": [1],
        "provider_id": ["nobody"],
        "client_id": ["nobody"],
        "uidb36": ["nobody"],
    }[parameter]


def addresses(route: Route, world: HiddenWorld) -> Iterator[str]:
    """Every way in which it can be asked, its own queries and snapshots of boards included."""
    filled: list[dict[str, Any]] = [{}]
    for parameter in dict.fromkeys(route.parameters):
        values = values_of(parameter, route, world)
        filled = [{**one, parameter: value} for one in filled for value in values]
    for arguments in filled:
        for query in QUERIES.get(route.name, ("",)):
            yield route.address(arguments) + query
    if route.name in ("board", "board-export", "api-board"):
        for name in BoardSnapshot.objects.order_by("pk").values_list("name", flat=True):
            yield f"{route.address(filled[0])}?snapshot={name}"


UUIDS = re.compile(r"[0-9a-f]{8}(?:[- ][0-9a-f]{4}){3}[- ][0-9a-f]{12}")  # as words in a search too
HIDDEN_BY_CHANCE: tuple[tuple[re.Pattern[str], str], ...] = (
    # Names of rows that are random in each world.
    (UUIDS, "<uuid>"),
    # Digests over such names and times; that none is of labels alone another test says.
    (re.compile(r"\b(?=[0-9a-f]*[0-9])[0-9a-f]{12,64}\b"), "<digest>"),
    # What keeps forms from being sent by other sites, and names of sessions.
    (re.compile(r"(?<=csrfmiddlewaretoken\" value=\")\w+"), "<csrf>"),
    (re.compile(r"(?<=X-CSRFToken&quot;: &quot;)\w+|(?<=\"X-CSRFToken\": \")\w+"), "<csrf>"),
    (re.compile(r"(?<=nonce-)[\w+/=-]+|(?<=nonce=\")[^\"]+"), "<nonce>"),
    (re.compile(r"(?<=/notices/stop/)[^/\"\s]+"), "<signed>"),
    (re.compile(r"assay_[\w-]{6}"), "<token>"),
    # Sizes of archives, which such digests are in.
    (re.compile(r"\b\d+ B\b"), "<size>"),
    # When it was.
    (re.compile(r"\b1[5-9]\d{8}\b"), "<t>"),  # in seconds
    (
        re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?"),
        "<t>",
    ),
    (re.compile(r"\b\d\d:\d\d(?::\d\d)?\b"), "<t>"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:s|ms|min)\b"), "<t>"),
    (re.compile(r"\bjust now\b|\b\d+\sminutes? ago\b"), "<t>"),
    (re.compile(r"(?<=_seconds\": )\d+"), "<t>"),
)


def without_chance(text: str, world: HiddenWorld) -> str:
    for key, name in world.names.items():
        for form in (key, key.replace("-", " "), key[:8]):  # a search looks for words, not dashes
            text = text.replace(form, name)
    for pattern, word in HIDDEN_BY_CHANCE:
        text = pattern.sub(word, text)
    return text


def said_in(response: Any, world: HiddenWorld) -> tuple[int, str, str]:
    """Status, what it leads to, and all that a reader has of it, in which no secret stands."""
    body = b"".join(response) if response.streaming else response.content
    kind = response.headers.get("Content-Type", "")
    said = [body.decode("utf-8", "replace"), str(response.headers)]
    if kind == "application/zip":
        said += texts_in(io.BytesIO(body))
    assert not [secret for secret in world.secrets if any(secret in text for text in said)]
    if kind == "application/zip":
        text = "\n".join(sorted(without_chance(text, world) for text in said[2:]))
        return response.status_code, "", text
    text = said[0]
    if "text" not in kind and "json" not in kind and "xml" not in kind and "yaml" not in kind:
        text = f"{kind}, {len(body)} bytes"  # archives hold times; pictures are compared by size
    target = without_chance(response.headers.get("Location", ""), world)
    return response.status_code, target, without_chance(text, world)


def sent(world: HiddenWorld, client: Client) -> Iterator[tuple[str, Any]]:
    """What is answered to what is sent, by name: trying a draft, whose page is read once workers
    are done, checking a file, handing one in, asking again."""
    draft = f"/submissions/{world.draft.pk}"
    yield "dry run", client.post(f"{draft}/dry-run/")
    for run in world.draft.runs.all():
        judge_run(run_id=run.pk)
    yield "page after it", client.get(f"{draft}/")
    yield "part after it", client.get(f"{draft}/dry-run/")
    api, content = "/api/v1/submissions/", file_of(answers_of(7, WORDS[0]))
    for name, more in (("checked", {"validate_only": "true"}), ("handed in", {})):
        file = SimpleUploadedFile("a.jsonl", content)
        fields = {"release": "hidden", "model": "Sent", **more, "file": file}
        yield name, client.post(api, fields)
    for key in world.submissions:
        name = world.names[key]
        yield f"retry {name}", client.post(f"{api}{key}/retry/")
        yield f"retried {name}", client.post(f"/submissions/{key}/retry/", {"judge": "rules"})


def told_by_mail(world: HiddenWorld) -> list[str]:
    """Notices, the mails of them and what webhooks send, and everybody's own data."""
    notices = list(Notice.objects.select_related("submission").order_by("title", "owner"))
    said = [f"{one.title}: {one.sentence}" for one in notices]
    for person in ("owner", "stranger", "member"):
        user = world.people[person]
        own = [one for one in notices if one.owner_id == user.pk]
        if own:
            said.append(str(message_of(user.pk, user.email, own).body))
        file = io.BytesIO()
        write_export(user, file)
        said += sorted(without_chance(text, world) for text in texts_in(file))
    said += WebhookDelivery.objects.order_by("notice__title", "webhook").values_list(
        "body", flat=True
    )
    return [without_chance(str(one), world) for one in said]


def texts_in(file: io.BytesIO) -> list[str]:
    with zipfile.ZipFile(file) as archive:
        return [
            archive.read(name).decode("utf-8", "replace") for name in sorted(archive.namelist())
        ]
