"""Every page of the admin is opened, and every choice of every select on it is posted, offered or
not: none is a 500.

The test client raises what a view does not handle, so that a database trigger that refuses fails
the test.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import models, transaction
from django.test import Client
from django.urls import NoReverseMatch, reverse

from benchmarks.models import Description, Figure, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from judging.engine.engine import judge_run
from judging.engine.references import request_references
from judging.judges.base import Reply
from judging.models import JudgeRun
from judging.services import ensure_spec, plan_run, propose_reference, request_run
from tests.conftest import submit
from tests.judging.panel.files import imported, ratings
from tests.judging.scripted import ScriptedJudge
from tests.slow import slow_except

MODELS = {model._meta.label: model for model in admin.site._registry}
WALKED_FIRST = {"benchmarks.Release", "submissions.Submission", "judging.JudgeRun", "auth.User"}
UNKNOWN = "no-such-choice"
ROWS = 3  # of a model: each state of a description, a release that is open and one that is not
# choices of a select that are posted; of long lists (permissions, groups) each is like the others
OFFERED = 4


@dataclass
class Form:
    action: str = ""
    is_post: bool = False
    values: dict[str, list[str]] = field(default_factory=dict)
    selects: dict[str, list[str]] = field(default_factory=dict)
    buttons: list[tuple[str, str]] = field(default_factory=list)


class Forms(HTMLParser):
    """The forms of a page with what a browser would send."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self.form: Form | None = None
        self.select = self.area = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.form = Form(given.get("action", ""), given.get("method", "").lower() == "post")
            self.found.append(self.form)
        if self.form is None:
            return
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "select":
            self.select = name
            self.form.selects[name] = []
        elif tag == "option" and self.select:
            self.form.selects[self.select].append(value)
            if "selected" in given:
                self.form.values.setdefault(self.select, []).append(value)
        elif tag == "textarea" and name:
            self.area = name
            self.form.values[name] = [""]
        elif tag == "input" and name:
            self.take_input(given.get("type", "text"), name, value, "checked" in given)

    def take_input(self, kind: str, name: str, value: str, is_checked: bool) -> None:
        assert self.form is not None
        if kind == "submit":
            self.form.buttons.append((name, value))
        elif kind in ("checkbox", "radio") and not is_checked and name != "_selected_action":
            return
        elif kind not in ("file", "button"):
            self.form.values.setdefault(name, []).append(value or "on")

    def handle_data(self, data: str) -> None:
        if self.area and self.form is not None:
            self.form.values[self.area] = [self.form.values[self.area][0] + data]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None
        elif tag == "select":
            self.select = ""
        elif tag == "textarea":
            self.area = ""


@pytest.fixture
def content(db, owner, tmp_path, settings) -> None:
    """A row of everything that is registered, a draft release and a judgement without a verdict
    among them."""
    settings.JUDGE_ENDPOINTS = {"here": {"url": "http://127.0.0.1:9/v1", "key": ""}}
    lines = b"1|two|two|one.png\n2|colour|colour|one.png\n3|night|night\n4|sea|sea\n"
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(lines), slug="walked"
    ).release
    Release.objects.create(benchmark=release.benchmark, slug="drawn", title="D", question_count=0)
    for version, state in enumerate(("approved", "in review", "draft"), start=1):
        Description.objects.create(
            figure=Figure.objects.get(), version=version, text="A cat.", state=state, author=owner
        )
    submission = submit(release, owner)
    judged(submission)
    JudgeRun.objects.update(paused=submission.created, pause_kind="person")
    request_references(
        release=release, model="m", endpoint="here", requested_by=owner, calls=1, cost=0
    )
    question = release.questions.first()
    assert question is not None
    propose_reference(question=question, text="another", author=owner, base=1)
    imported(ratings(submission, "1,r1,neatness,3"))
    Group.objects.get_or_create(name="annotators")
    EmailAddress.objects.create(user=owner, email="rosa@work.example")


def judged(submission) -> None:
    spec = ensure_spec(
        of=protocol("spelling"), kind="openai", endpoint="here", model="m", repeats=1
    )
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    script: list[Reply | Exception | str] = [
        "right",
        Reply("no", finish_reason="content_filter"),
        "right",
        "right",
    ]
    judge_run(run_id=run.pk, judge=ScriptedJudge(script))


@pytest.fixture
def desk(content) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("walker", "walker@example.org"))
    return client


def pages_of(model: type[models.Model]) -> Iterator[str]:
    """List, add page, and of every row its page, history, deletion and steps; custom sites leave
    some of them out."""
    info = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    yield reverse(f"{info}_changelist")
    for name in ("add", "change", "history", "delete"):
        for key in ["" if name == "add" else row.pk for row in model._default_manager.all()[:ROWS]]:
            try:
                yield reverse(f"{info}_{name}", args=[key] if key else [])
            except NoReverseMatch:
                continue
            if name == "add":
                break
    steps = getattr(admin.site._registry[model], "steps", ())
    for row in model._default_manager.all()[:ROWS]:
        yield from (reverse(f"{info}_step", args=[row.pk, step.slug]) for step in steps)


def choices_of(model: type[models.Model], name: str, offered: list[str]) -> list[str]:
    """What a person can choose, what the model knows beside, and what nobody knows."""
    fields = {f.name: f for f in model._meta.concrete_fields}
    known = [str(value) for value, _ in (fields[name].choices or ())] if name in fields else []
    return list(dict.fromkeys([*offered[:OFFERED], *known, UNKNOWN]))


def post_everything(client: Client, url: str, form: Form, model: type[models.Model]) -> int:
    """How many posts were made; each is undone."""
    variants: list[dict[str, str]] = [{}]
    for name, offered in form.selects.items():
        variants += [{name: value} for value in choices_of(model, name, offered)]
    target = urljoin(url, form.action)
    for chosen in variants:
        with transaction.atomic():
            response = client.post(target, {**form.values, **chosen}, follow=True)
            assert response.status_code < 500, (target, chosen)
            transaction.set_rollback(True)
    return len(variants)


@pytest.mark.slow
@pytest.mark.parametrize("label", slow_except(sorted(MODELS), WALKED_FIRST.__contains__))
def test_no_page_and_no_choice_of_it_is_a_500(desk, label):
    model, posts = MODELS[label], 0
    for url in pages_of(model):
        response = desk.get(url, follow=True)
        assert response.status_code < 500, url
        for form in Forms(str(response.content, "utf-8")).found:
            if form.is_post and "logout" not in form.action:
                posts += post_everything(desk, response.request["PATH_INFO"], form, model)
    if label == "benchmarks.Release":
        assert posts > 10
