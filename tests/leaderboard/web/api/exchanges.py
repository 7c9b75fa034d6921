"""What the examples of the API's description are recorded from: a small site of the content that
ships, and each request to it that the description shows."""

import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.test import Client, override_settings

from benchmarks.models import Release
from benchmarks.protocols.base import BundledRelease, Upload
from benchmarks.registry import protocol
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.bundled import ensure_release
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import accept_submission, withdraw_submission
from benchmarks.submissions.tokens import create_token
from judging.models import Judgement
from leaderboard.models.notices import Webhook
from leaderboard.results.chain.links import link_waiting
from tests.api_clients import body_of
from tests.conftest import judged
from tests.overwriting import overwrite

HOST = "assay.example.org"
INSTANT = "2026-11-20T10:00:00Z"
DIGEST = "9a3e" * 16
KEY = "6a1f0a52-3c5e-4f0e-9f5e-2f0f5d1c7a10"
FAMILY = "hallusionbench"
FIRST_FIGURES = 2
LONGEST_TEXT = 300
VOLATILE = (
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)"), INSTANT),
    (re.compile(r"(?<=cursor=)[^&\"]+"), "cD0yMDI2LTExLTIw"),
    (re.compile(r"(?<=/figures/)\d+(?=/)"), "17"),
    (re.compile(r"(?<=/webhooks/)\d+(?=/)"), "3"),
    (re.compile(r'(?<="id": )\d+(?=, "url": "https:)'), "3"),
    (re.compile(r"93\.184\.215\.14"), "program.example.org"),
    (re.compile(r"whsec_[\w-]+"), "whsec_vT3q9c0Jb1xYw5a8Kd2mR7uZ4nE6hGpLsXoFiQtVcBk"),
    (re.compile(r"\bmember \d+"), "member 1"),
)


@dataclass(frozen=True)
class Asked:
    """One request. `path` from the root of the API; `content` of its file."""

    operation: str
    name: str
    path: str
    method: str = "GET"
    scope: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    content: bytes = b""


@dataclass
class ExampleSite:
    release: Release
    owner: User
    public: Submission
    private: Submission
    withdrawn: Submission
    waiting: Submission
    answers: bytes
    tokens: Mapping[str, str]


def build_site() -> ExampleSite:
    """Sample answers of two models on the board, and three submissions of somebody's own."""
    family = protocol(FAMILY)
    bundled: BundledRelease = family.bundled[0]
    release = ensure_release(family, bundled)
    set_floor_version(release)
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long password")
    lucid, parrot, terse = (sample.file.read_bytes() for sample in bundled.samples)

    def hand_in(name: str, content: bytes, visibility: str) -> Submission:
        return accept_submission(
            release=release,
            upload=Upload("answers.jsonl", content),
            model=EvaluatedModel(name=name, organisation="Example Lab"),
            owner=owner,
            visibility=visibility,
        )

    judged(hand_in("Other model", parrot, "public"))
    site = ExampleSite(
        release=release,
        owner=owner,
        public=judged(hand_in("My model", lucid, "public")).submission,
        private=judged(hand_in("My next model", terse, "private")).submission,
        withdrawn=hand_in("My first model", mixed(parrot, terse), "private"),
        waiting=hand_in("My newest model", mixed(terse, lucid), "private"),
        answers=mixed(lucid, parrot),
        tokens={
            scope: create_token(owner=owner, name=scope, scope=scope).key
            for scope in ("read", "submit", "publish")
        },
    )
    withdraw_submission(submission=site.withdrawn)
    link_waiting()
    return site


def mixed(first: bytes, second: bytes) -> bytes:
    """Every other line of each: near to neither."""
    pairs = zip(first.splitlines(keepends=True), second.splitlines(keepends=True), strict=True)
    return b"".join(pair[place % 2] for place, pair in enumerate(pairs))


# --- what is asked --------------------------------------------------------------------------------


def requests(site: ExampleSite) -> Iterator[Asked]:
    yield from of_content(site)
    yield from of_boards(site)
    yield from of_submissions(site)
    yield from of_changes(site)
    yield from of_webhooks(site)


def of_content(site: ExampleSite) -> Iterator[Asked]:
    judge = site.public.runs.get().judge_spec.slug
    yield Asked("benchmarks_list", "All benchmarks", "benchmarks/")
    yield Asked("benchmark", "One benchmark", f"benchmarks/{FAMILY}/")
    yield Asked("benchmark", "One that there is not", "benchmarks/halusionbench/")
    yield Asked("releases_list", "All releases", "releases/")
    yield Asked("release", "One release", f"releases/{site.release.slug}/")
    yield Asked("release_questions", "Questions", f"releases/{site.release.slug}/questions/")
    yield Asked("judges_list", "Judges of a benchmark", f"judges/?benchmark={FAMILY}")
    yield Asked("judge", "One judge", f"judges/{judge}/")
    yield Asked("studies_list", "Studies; this site has none yet", "studies/")
    yield Asked("models_list", "Models by words of name or organisation", "models/?q=example+lab")
    yield Asked("model", "One model", f"models/{site.public.model.slug}/")


def of_boards(site: ExampleSite) -> Iterator[Asked]:
    board = f"boards/{FAMILY}/"
    yield Asked("boards_list", "All boards", "boards/")
    yield Asked("board", "The first entry of a board", f"{board}?limit=1")
    yield Asked("board", "Its entries of one organisation", f"{board}?org=Example+Lab&limit=1")
    yield Asked("board", "A measure that there is not", f"{board}?measure=nonsense")
    yield Asked("board", "A parameter that there is not", f"{board}?asof=2026-11-20")
    yield Asked("entries_list", "Entries of a model", f"entries/?model={site.public.model.slug}")
    yield Asked("entry", "One entry", f"entries/{site.public.pk}/")
    yield Asked("entry_verdicts", "The first of its lines", f"entries/{site.public.pk}/verdicts/")


def of_submissions(site: ExampleSite) -> Iterator[Asked]:
    own = "submissions/"
    yield Asked("submissions_list", "Your submissions", own, scope="read")
    yield Asked("submissions_list", "Without a token", own)
    form = {"release": site.release.slug, "model": "My newest model", "file": "answers.jsonl"}

    def sent(name: str, *, scope: str = "submit", content: bytes = b"", **more: Any) -> Asked:
        headers = more.pop("headers", {})
        return Asked(
            "submissions_create",
            name,
            own,
            "POST",
            scope,
            headers,
            {**form, **more},
            content or site.answers,
        )

    half = b"".join(site.answers.splitlines(keepends=True)[:-1])
    yield sent("Valid, with validate_only", validate_only="true")
    yield sent("Accepted", headers={"Idempotency-Key": KEY})
    yield sent("Accepted before, under the same key", headers={"Idempotency-Key": KEY})
    yield sent("An answer is missing", content=half)
    yield sent("A field that there is not", visible="public")
    yield sent("A token that may not", scope="read")
    yield Asked("submission", "Waiting", f"{own}{site.waiting.pk}/", scope="read")
    yield Asked("submission", "Judged", f"{own}{site.private.pk}/", scope="read")


def of_changes(site: ExampleSite) -> Iterator[Asked]:
    of: dict[str, Any] = {"scope": "publish", "method": "POST"}
    private, withdrawn = f"submissions/{site.private.pk}/", f"submissions/{site.withdrawn.pk}/"
    yield Asked("submission_publish", "Published", f"{private}publish/", **of)
    yield Asked("submission_publish", "One that is withdrawn", f"{withdrawn}publish/", **of)
    yield Asked("submission_make_private", "Private again", f"{private}make-private/", **of)
    yield Asked("submission_retry", "Nothing failed", f"{private}retry/", **of)
    run = site.private.runs.get()
    row = run.judgements.order_by("pk").first()
    overwrite(Judgement.objects.filter(pk=row.pk), state="unreadable", verdict="")
    judge = {"judge": run.judge_spec.slug}
    yield Asked("submission_retry", "Asked again", f"{private}retry/", form=judge, **of)
    reason = {"reason": "The answers were of other weights."}
    yield Asked("submission_withdraw", "Withdrawn", f"{private}withdraw/", form=reason, **of)


def of_webhooks(site: ExampleSite) -> Iterator[Asked]:
    of: dict[str, Any] = {"scope": "publish", "method": "POST"}
    form = {"url": "https://93.184.215.14/told"}  # no name: nobody looks one up in a test
    yield Asked("webhooks_create", "Made", "webhooks/", form=form, **of)
    local = {"url": "https://127.0.0.1/told"}
    yield Asked("webhooks_create", "An address that is not public", "webhooks/", form=local, **of)
    hook = Webhook.objects.get()
    yield Asked("webhooks_list", "Your webhooks", "webhooks/", scope="read")
    yield Asked("webhook", "One webhook", f"webhooks/{hook.pk}/", scope="read")
    yield Asked("webhook_delete", "Deleted", f"webhooks/{hook.pk}/delete/", **of)


# --- what is answered -----------------------------------------------------------------------------


@contextmanager
def as_a_site_says_it() -> Iterator[None]:
    with override_settings(ALLOWED_HOSTS=[HOST], SECURE_PROXY_SSL_HEADER=None):
        yield


def answered(site: ExampleSite, asked: Asked) -> dict[str, Any]:
    """The example: request and answer, as they are written down."""
    client = Client(SERVER_NAME=HOST)
    headers = dict(asked.headers)
    if asked.scope:
        headers["Authorization"] = f"Bearer {site.tokens[asked.scope]}"
    address = f"/api/v1/{asked.path}"
    if asked.method == "GET":
        response = client.get(address, headers=headers, secure=True)
    else:
        form: dict[str, Any] = dict(asked.form)
        if "file" in form:
            form["file"] = io.BytesIO(asked.content)
            form["file"].name = asked.form["file"]
        response = client.post(address, form, headers=headers, secure=True)
    media_type = response["Content-Type"].partition(";")[0]
    content = body_of(response)
    lines = content.splitlines()[:1] if media_type == "application/x-ndjson" else [content]
    return {
        "operation": asked.operation,
        "name": asked.name,
        "method": asked.method,
        "path": address,
        "scope": asked.scope,
        "headers": dict(asked.headers),
        "form": dict(asked.form),
        "status": response.status_code,
        "media_type": media_type,
        "answer": shortened(json.loads(lines[0])),
    }


def shortened(value: Any, name: str = "") -> Any:
    """Lists of objects to their first, figures to the first two, texts to their beginning."""
    if isinstance(value, dict):
        members = list(value.items())
        if name in ("figures", "values"):
            members = members[:FIRST_FIGURES]
        if name == "chain":
            return {**value, "digest": DIGEST}
        return {key: shortened(member, key) for key, member in members}
    if isinstance(value, list):
        kept = value[:1] if value and isinstance(value[0], dict) else value[:3]
        return [shortened(member) for member in kept]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}…"
    return value


def written(examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With ids, instants and cursors as of an example: the same however often they are made."""
    text = json.dumps(examples, ensure_ascii=False)
    for pattern, example in VOLATILE:
        text = pattern.sub(example, text)
    known: dict[str, str] = {KEY: KEY}

    def of_example(match: re.Match[str]) -> str:
        return known.setdefault(match[0], f"0c9b5a86-5f0e-4a58-9d7b-{len(known):012}")

    text = re.sub(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", of_example, text)
    found: list[dict[str, Any]] = json.loads(text)
    return found


def record() -> list[dict[str, Any]]:
    site = build_site()
    with as_a_site_says_it():
        examples = [answered(site, asked) for asked in requests(site)]
        examples += after_a_refusal(site, examples)
    return written(examples)


def after_a_refusal(site: ExampleSite, examples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All problems of the file that was refused, where the refusal said they are."""
    reports = (one["answer"].get("report") for one in examples if isinstance(one["answer"], dict))
    path = next(filter(None, reports)).partition("/api/v1/")[2]
    return [answered(site, Asked("refused_file", "An answer is missing", path, scope="submit"))]
