"""Who may do what: every address, by every method, as every persona, against
tests/permissions.toml.

Each request is real, with its CSRF token, and in a transaction that is rolled back. Only a POST
that the table says writes ("W") writes a row, but for the visitor's own session, what they typed
and did not save, the instant when a token was used, and what counts wrong links. What is private
holds words that stand nowhere else, and no answer to whoever may not read them holds one.
What people wrote ends with an element, which no page holds as one.
"""

import io
import logging
import re
import tomllib
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, transaction
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client, override_settings
from django.urls import resolve
from django.utils import timezone

from benchmarks.common.staff_log import record_action
from benchmarks.models import (
    Description,
    Figure,
    FigureImage,
    LabelCorrection,
    LabelDoubt,
    QuestionReport,
    Reference,
    Release,
)
from benchmarks.protocols.base import Problem, Upload
from benchmarks.registry import protocol
from benchmarks.services.archives import make_archive
from benchmarks.services.descriptions import save_draft
from benchmarks.services.importing import import_release
from benchmarks.submissions.intake.refusals import keep_refusal
from benchmarks.submissions.models import AccessToken, EvaluatedModel, PublicName, Submission
from benchmarks.submissions.services import accept_submission
from benchmarks.submissions.team_models import LimitRaise, Membership, Team
from benchmarks.submissions.teams.services import (
    decide_team_verification,
    found_team,
    invite,
)
from benchmarks.submissions.tokens import create_token
from judging.engine.engine import judge_run
from judging.judges.base import Reply
from judging.models import Endpoint, Judgement, ReferenceProposal, ReferenceRequest
from judging.panel.models import StudyRater
from judging.panel.services import import_ratings
from judging.panel.studies.raters import make_link
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import DataExport
from leaderboard.models.notices import Notice, Webhook
from leaderboard.people.notices.choices import unsubscribe_key
from leaderboard.people.staff.invitations import invite_person
from leaderboard.results.services import score_run
from leaderboard.results.studies.stored import refresh_reports
from leaderboard.web.pages.studies.rating_views import COOKIE, SALT
from tests.benchmarks.pictures import picture
from tests.conftest import judged, make_groups, submit
from tests.judging.panel.files import LABELLED, imported, ratings, upload
from tests.judging.panel.study_world import study_of
from tests.judging.scripted import ScriptedJudge
from tests.routes import Route, routes
from tests.slow import slow_except
from tests.walk import links_on

TABLE = tomllib.loads(Path(__file__).with_name("permissions.toml").read_text())
PERSONAS: tuple[str, ...] = tuple(TABLE["personas"])
# Methods that no row names change nothing whoever asks; three personas who may most ask for all,
# for the time it takes.
OTHER_METHODS = ("HEAD", "PUT", "PATCH", "DELETE")
ABLE = ("owner", "superuser", "token-publish")
REFUSED = "L1345M"
READERS = {name: set(readers.split()) for name, readers in TABLE["secrets"].items()}
MARKUP = "<hushed>"
CSRF = "c" * 32
WRITES = re.compile(r'^\s*(?:INSERT|UPDATE|DELETE|REPLACE)\b[^"]*"(\w+)"', re.IGNORECASE)
OWN_TRACES = re.compile(
    r'"(django_session|benchmarks_unsavedtext|benchmarks_claim|shared_cache)"'
    r'|UPDATE "submissions_accesstoken" SET "last_used"'
)
# What every form of the site is sent at once; each takes from it what it knows.
FORM = {
    "visibility": "private",
    "name": "ci",
    "scope": "submit",
    "post": "yes",
    "reason": "Nobody can tell.",
    "comment": "Please say more.",
    "text": "A red square.",
    "base_version": "1",
    "save": "x",
    "licence": "Apache-2.0",
    "role": "owner",
    "upto": "2147483647",  # keys go on where a database has had notices before
    "do": "on",
    "confirmed": "yes",
}


@dataclass
class Site:
    """One object of each kind; the submission is private and belongs to `owner`."""

    clients: dict[str, Client] = field(default_factory=dict)
    arguments: dict[str, object] = field(default_factory=dict)
    objects: dict[str, object] = field(default_factory=dict)
    steps: dict[str, str] = field(default_factory=dict)
    judge: str = ""
    unconfirmed: object = None
    model: str = ""
    teams: dict[str, object] = field(default_factory=dict)

    def of_team(self) -> "Site":
        """The same, with what is the team's in the addresses."""
        named = {"submission_id": self.teams["submission_id"]}
        return replace(
            self,
            arguments={**self.arguments, **named},
            unconfirmed=self.teams["unconfirmed"],
            model=str(self.teams["model"]),
        )

    def address(self, route: Route) -> str:
        named = dict(self.arguments)
        if found := re.match(r"admin/(\w+)/(\w+)/", route.pattern):
            named["object_id"] = self.objects.get(f"{found[1]}.{found[2]}", 1)
            named["pk"] = named["id"] = named["object_id"]
            named["step"] = self.steps.get(f"{found[1]}.{found[2]}", "")
        of_release = ("api-release", "release-", "admin:judging_stalejudgement")
        if route.name == "release" or route.name.startswith(of_release):
            named["slug"] = "spelling-1"
        if route.name in ("model", "model-edit"):
            named["slug"] = self.model
        if route.name == "guide":
            named["slug"] = "annotating"
        if route.name == "public-guide":
            named["slug"] = "intervals"
        if route.name == "api-model":
            named["slug"] = "rated"
        if route.name in ("judge", "api-judge"):
            named["slug"] = self.judge
        if route.name in {"submission-confirm", "submission-dry-run"}:
            named["submission_id"] = self.unconfirmed
        return route.address(named)


# --- the site -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[Site]:
    """Built once for all tests here. Nothing is logged: every refusal would be."""
    logging.disable(logging.CRITICAL)
    local = {"local": {"url": "http://127.0.0.1:9/v1", "key": hush("endpoint-key")}}
    with (
        django_db_blocker.unblock(),
        override_settings(JUDGE_ENDPOINTS=local),
        transaction.atomic(),
    ):
        yield build_site(tmp_path_factory.mktemp("pictures"))
        transaction.set_rollback(True)
    logging.disable(logging.NOTSET)


@pytest.fixture
def site(built: Site, db) -> Site:
    """With the file of the copy of data, which no rollback brings back."""
    copy = DataExport.objects.get().file
    assert copy.name
    if not copy.storage.exists(copy.name):
        copy.storage.save(copy.name, ContentFile(hush("copy-of-data").encode()))
    return built


class Visitor(Client):
    """Of an answer it keeps nothing; Django's keeps templates with copies of their contexts, and
    cookies, which the next request should not have."""

    def request(self, **request: Any) -> Any:
        client: Any = self
        return self.handler(client._base_environ(**request))


def hush(name: str) -> str:
    """A word that stands where only the readers of this secret may see it."""
    word = f"Hush{name.title().replace('-', '')}"
    return word.lower() if name == "mail" else word  # as allauth keeps addresses


def build_site(folder: Path) -> Site:
    site, people = Site(), make_people()
    submission = make_content(folder, people)
    assert submission.model.slug
    site.model = submission.model.slug
    row = submission.runs.get().judgements.filter(state=Judgement.State.REFUSED).first()
    keep_what_is_private(people["owner"], submission)
    token = create_token(owner=people["owner"], name=hush("token-name"), scope="read").token
    AccessToken.objects.filter(pk=token.pk).update(digest=hush("token-digest"))
    figure = Figure.objects.get()
    site.unconfirmed = submit(
        submission.release, people["owner"], b"1=two\n2=color\n", name="New", confirm=False
    ).pk
    site.judge = row.judge_spec.slug
    site.arguments = {
        "slug": "spelling",
        "kind": "csv",
        "section": "boards",
        "chart": "nothing",
        "submission_id": submission.pk,
        "refused_id": kept_refusal(people["owner"]),
        "file_id": make_report(submission.release, people["owner"]),
        "image_id": FigureImage.objects.get().pk,
        "token_id": token.pk,
        "webhook_id": Webhook.objects.get().pk,
        "provider_id": "huggingface",
        "signed": unsubscribe_key(people["owner"].pk, ["finished"]),
        "figure_id": figure.pk,
        "question_id": submission.release.questions.get(public_id="1").pk,
        "language": "en",
        "key": "1-a",
        "uidb36": "1",
        "app_label": "benchmarks",
        "url": "nowhere",
        **make_study(submission),
        **make_team(site, submission.release, people),
        "content_type_id": ContentType.objects.get_for_model(Submission).pk,
        "object_id": submission.pk,
    }
    for model, page in admin.site._registry.items():
        if steps := getattr(page, "steps", ()):
            site.steps[model._meta.label_lower] = steps[0].slug
        first = model._default_manager.order_by("pk").first()
        site.objects[model._meta.label_lower] = first.pk if first else 1
    site.objects["judging.judgementforreview"] = row.pk
    site.objects["auth.user"] = people["other"].pk
    site.objects["benchmarks.description"] = Description.objects.get(state="in review").pk
    write_markup()
    site.clients = {persona: client_of(persona, people) for persona in PERSONAS}
    device, _ = UserSession.objects.update_or_create(
        session_key=site.clients["owner"].session.session_key,
        defaults={"user": people["owner"], "ip": "127.0.0.1", "user_agent": hush("device")},
    )
    site.arguments["device_id"] = device.pk
    User.objects.filter(pk=people["former"].pk).update(is_active=False)
    return site


def write_markup() -> None:
    facts = ("organisation", "licence", "training_data", "notes")
    EvaluatedModel.objects.update(**dict.fromkeys(facts, MARKUP))
    terms = {"creator": MARKUP, "licence": MARKUP, "source": MARKUP}
    Release.objects.update(title=Concat("title", Value(MARKUP)), **terms)
    for model, name in (
        (PublicName, "name"),
        (Description, "text"),
        (QuestionReport, "text"),
        (ReferenceProposal, "text"),
        (Notice, "title"),
        (Notice, "sentence"),
        (StudyRater, "name"),
    ):
        model._default_manager.update(**{name: Concat(name, Value(MARKUP))})


def kept_refusal(owner: User) -> UUID:
    found = keep_refusal(
        owner=owner,
        file_name=f"{hush('refused-file')}.csv",
        problems=[Problem("missing", hush("refused-file"))],
        missing=[hush("refused-file")],
    )
    assert found
    return found.id


def keep_what_is_private(owner: User, entry: Submission) -> None:
    Webhook.objects.create(
        owner=owner, url=f"https://a.example/{hush('webhook')}", secret=hush("webhook-secret")
    )
    Notice.objects.create(
        owner=owner, kind="finished", key="1", submission=entry, title=hush("notice"), sentence="!"
    )
    copy = ContentFile(hush("copy-of-data").encode(), "copy.zip")
    DataExport.objects.create(owner=owner, made=timezone.now(), file=copy)


def make_people() -> dict[str, User]:
    make_groups()
    staff = {"annotator", "reviewer", "moderator", "superuser"}
    people = {}
    plain = ("owner", "other", "former", "expired", "team-owner", "team-member")
    for name in (*plain, *sorted(staff)):
        address = hush("mail") if name == "owner" else name
        user = User.objects.create_user(
            name, f"{address}@example.org", is_staff=name in staff, is_superuser=name == "superuser"
        )
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        people[name] = user
    for name in ("annotator", "reviewer", "moderator"):
        people[name].groups.add(Group.objects.get(name=f"{name}s"))
    return people


def client_of(persona: str, people: Mapping[str, User]) -> Client:
    client = Visitor(enforce_csrf_checks=True, raise_request_exception=False)
    if persona.startswith("token-"):
        scope = persona.removeprefix("token-")
        ends: dict[str, Any] = {"expires": timezone.now()} if scope == "expired" else {}
        made = create_token(
            owner=people["owner"], name=scope, scope=scope if not ends else "publish"
        )
        AccessToken.objects.filter(pk=made.token.pk).update(**ends or {"name": scope})
        client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {made.key}"
    elif persona in ("rater", "forged-link"):
        rater = StudyRater.objects.get()
        key = None if persona == "rater" else "of another site"
        client.cookies[COOKIE] = signing.dumps([rater.pk, rater.digest], key=key, salt=SALT)
    elif persona != "anonymous":
        client.force_login(people[persona])
        if persona == "expired":
            session = Session.objects.filter(pk=client.session.session_key)
            session.update(expire_date=timezone.now())
    client.cookies["csrftoken"] = CSRF
    client.defaults["HTTP_X_CSRFTOKEN"] = CSRF
    return client


def make_content(folder: Path, people: Mapping[str, User]) -> Submission:
    """A release with a described figure, and a private entry that a model refused to judge in
    part."""
    (folder / "one.png").write_bytes(picture())
    family = protocol("spelling")
    lines = io.BytesIO(f"1|two|two|one.png\n2|colour|{hush('reference')}\n".encode())
    release = import_release(
        protocol=family, stream=lines, images=folder, slug="spelling-1"
    ).release
    make_archive(release)
    draft = save_draft(
        figure=Figure.objects.get(),
        language="en",
        text=hush("draft"),
        author=people["annotator"],
        base_version=0,
    )
    Description.objects.filter(pk=draft.pk).update(state=Description.State.IN_REVIEW)
    judged(submit(release, people["other"], f"1=two\n2={MARKUP}\n".encode(), name="Rated"))
    import_ratings(upload=ratings(Submission.objects.get(), "1,ann,neatness,4"), by=None)
    import_release(
        protocol=family,
        stream=io.BytesIO(b"1|one|one\n"),
        slug="spelling-2",
        title=hush("release"),
        is_draft=True,
    )
    submission = private_entry(release, people["owner"], "entry")
    Endpoint.objects.get_or_create(alias="local")
    doubt = LabelDoubt.objects.create(question=release.questions.get(public_id="2"))
    LabelCorrection.objects.create(
        pk=doubt.pk,  # an address of either is one of both
        question=doubt.question,
        before="colour",
        label=hush("label"),
        truth={},
        reason=hush("reason"),
        author=people["other"],
    )
    ReferenceProposal.objects.create(
        question=release.questions.get(public_id="1"),
        text=hush("proposal"),
        origin=Reference.Origin.HUMAN,
        replaces=1,
        author=people["annotator"],
    )
    QuestionReport.objects.create(
        question=release.questions.get(public_id="2"), category="other", text=hush("report")
    )
    ReferenceRequest.objects.create(release=release, endpoint="local", model="scribe-1")
    invite_person(email=f"{hush('invited')}@example.org", groups=["raters"], by=people["superuser"])
    record_action(by=people["superuser"], on=release, name="Spelling", what="freeze")
    return submission


def private_entry(release: Release, owner: User, what: str, team: Team | None = None) -> Submission:
    """One that a model refused to judge in part."""
    entry = accept_submission(
        release=release,
        upload=Upload(
            f"{hush(f'{what}-file')}.txt", f"1={hush(f'{what}-answer')}\n2=color".encode()
        ),
        model=EvaluatedModel(name=hush(f"{what}-model")),
        owner=owner,
        visibility="private",
        team=team,
    )
    judge_in_part(entry)
    return entry


def judge_in_part(submission: Submission) -> None:
    family = protocol(submission.release.benchmark.slug)
    spec = ensure_spec(of=family, kind="openai", endpoint="local", model="scribe-1")
    run = request_run(submission=submission, spec=spec)
    plan_run(run_id=run.pk)
    script = [Reply("no", finish_reason="content_filter"), Reply("right")]
    judge_run(run_id=run.pk, judge=ScriptedJudge(script))
    score_run(run=run)


def make_report(release: Release, owner: User) -> UUID:
    """Of what two people said of a public entry."""
    entry = submit(release, owner, b"1=two\n2=colour\n", name="Rated")
    lines = [f"{entry.pk},{item},{rater},correct" for item in (1, 2) for rater in ("x", "y")]
    file = imported(upload(*lines, header=LABELLED)).file
    refresh_reports()
    return file.pk


def make_study(submission: Submission) -> dict[str, object]:
    """An open one that nobody with an account rates."""
    study = study_of([submission], raters=1, questionnaire="neatness+correct")
    study.raters.update(name=hush("rater"))
    make_link(study.raters.get())
    return {"study_id": study.pk, "rater_id": study.raters.get().pk, "move": "close"}


def make_team(site: Site, release: Release, people: Mapping[str, User]) -> dict[str, object]:
    """A team of two with a private entry that its member handed in, another that waits to be
    confirmed, and an open invitation."""
    owner, member = people["team-owner"], people["team-member"]
    team = found_team(name="The Spellers", by=owner)
    Membership.objects.create(team=team, user=member)
    entry = private_entry(release, member, "team", team)
    waiting = submit(release, member, b"1=too\n2=color\n", name="Waits", confirm=False, team=team)
    site.teams = {
        "submission_id": entry.pk,
        "unconfirmed": waiting.pk,
        "model": entry.model.slug,
    }
    staff, reason = people["superuser"], f"They are known.{MARKUP}"
    decide_team_verification(team=team, is_verified=True, reason=reason, by=staff)
    LimitRaise.objects.create(team=team, until=timezone.now(), reason=reason, decided_by=staff)
    email = f"{hush('team-invited')}@example.org"
    invitation = invite(team=team, email=email, by=owner)
    return {"team_id": team.pk, "user_id": member.pk, "invitation_id": invitation.pk}


# --- asking ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """`outcome`: one letter of the table; `written`: the tables that were; `read`: secrets that
    stand in the answer; `links`: the addresses of the admin that it leads to."""

    outcome: str
    written: set[str]
    read: set[str]
    links: set[str]

    def faults(self, should: str, persona: str) -> str:
        """What is unlike the table, whose letter may be "" where it does not name the method."""
        is_wrong = self.outcome != should if should else self.outcome in "WE"
        is_wrong |= bool(self.written) and self.outcome != "W"
        told = {name for name in self.read if persona not in READERS.get(name, ())}
        told |= {link for link in self.links if is_closed(link, persona)}
        found = f"{should or '-'}, got {self.outcome} {self.written or ''} {told or ''}"
        return found if is_wrong or told else ""


@cache
def is_closed(link: str, persona: str) -> bool:
    """Whether the table refuses this address of the admin to the persona."""
    found = resolve(link)
    route = Route(found.view_name if found.url_name else found.route, found.route)
    return expected(route, "GET", persona) in REFUSED.replace("M", "")


def ask(site: Site, route: Route, method: str, persona: str, **headers: str) -> Asked:
    """Nothing of it stays."""
    body = body_of(site, route, method)
    return ask_at(site.address(route), site.clients[persona], method, headers=headers, **body)


def ask_at(address: str, client: Client, method: str = "GET", **sent: Any) -> Asked:
    written = set[str]()

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        result = execute(sql, params, many, context)
        found = WRITES.match(sql)
        has_written = sql.startswith("INSERT") or context["cursor"].rowcount
        if found and has_written and not OWN_TRACES.search(sql):
            written.add(found[1])
        return result

    with transaction.atomic(), connection.execute_wrapper(note):
        response = getattr(client, method.lower())(address, **sent)
        body = b"".join(response) if response.streaming else response.content
        for close in response._resource_closers:  # a HEAD leaves the file of a download open
            close()
        transaction.set_rollback(True)
    outcome = outcome_of(response)
    text = f"{response.headers} {response.cookies} {plain_text(body)}"
    read = {name for name in READERS if hush(name) in text}
    if MARKUP in text and response.headers.get("Content-Type", "").startswith("text/html"):
        read.add(f"{MARKUP} as an element")
    links = {urlsplit(link).path for link in links_on(text, address)} if outcome == "Y" else ()
    of_admin = {link for link in links if link.startswith("/admin/")}
    return Asked("W" if outcome == "Y" and written else outcome, written, read, of_admin)


def plain_text(body: bytes) -> str:
    """Of an archive, that of its members."""
    if body.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"\n".join(map(archive.read, archive.namelist()))
    return body.decode(errors="replace")


OF_PROGRAMS = {"api-submission-withdraw": "reason", "api-submission-retry": "judge"}
"""By the address, the field that it takes; it refuses what it does not know."""


def body_of(site: Site, route: Route, method: str) -> dict[str, Any]:
    """As a page or a program sends it."""
    if method != "POST":
        return {}
    form = {**FORM, "judge": site.judge}
    if route.name == "api-submissions":
        content = SimpleUploadedFile("answers.txt", b"1=two\n2=color\n")
        return {"data": {"release": "spelling-1", "model": "New", "file": content}}
    if route.name in OF_PROGRAMS:
        return {"data": {OF_PROGRAMS[route.name]: ""}, "content_type": "application/json"}
    is_program = route.pattern.startswith("api/")
    return {"data": form, "content_type": "application/json"} if is_program else {"data": form}


def outcome_of(response: Any) -> str:
    status = response.status_code
    if status in (301, 302) and re.match(r"/(accounts|admin)/login/", response["Location"]):
        return "L"
    named = {401: "1", 403: "3", 404: "4", 405: "M"}
    return named.get(status) or ("Y" if status < 400 else "R" if status < 500 else "E")


def expected_of_all(route: Route, method: str) -> str:
    """The letters that must come, a persona each; empty where the table does not name the
    method."""
    who = TABLE["urls"][route.name].get("GET" if method == "HEAD" else method)
    return TABLE["who"][who].replace(" ", "") if who else ""


def expected(route: Route, method: str, persona: str) -> str:
    return expected_of_all(route, method)[PERSONAS.index(persona) :][:1]


# --- the tests ------------------------------------------------------------------------------------


def test_every_address_stands_in_the_table_and_no_other():
    named, stored = {route.name for route in routes()}, set(TABLE["urls"])
    assert not named - stored, "give each of these a row in tests/permissions.toml"
    assert not stored - named, "these rows of tests/permissions.toml name no address any more"


def unlike_the_table(
    site: Site,
    persona: str,
    methods: Sequence[str],
    is_chosen: Callable[[Route, str], bool] = lambda route, method: True,
    seen: set[str] | None = None,
) -> list[str]:
    wrong = []
    for method in methods:
        for route in routes():
            if is_chosen(route, method):
                asked = ask(site, route, method, persona)
                if found := asked.faults(expected(route, method, persona), persona):
                    wrong.append(f"{method} {route.name}: {found}")
                if seen is not None:
                    seen |= asked.read
    return wrong


def is_telling(route: Route, method: str, persona: str) -> bool:
    """Another user is asked for at every address outside of the admin; else, of neighbours in the
    table who get the same answer, the last where it is refused, who may most, and the first where
    it is not; and whoever is refused what the one before is not, as a member what a team's owner
    may. In the admin, what is no answer to the method is looked at once."""
    is_admins = route.pattern.startswith("admin/")
    if persona == "other" and not is_admins:
        return True
    row, place = expected_of_all(route, method), PERSONAS.index(persona)
    if not row or (persona.startswith("token-") and not route.pattern.startswith("api/")):
        return False
    as_get = is_admins and method == "POST" and row[place] == expected(route, "GET", persona)
    if as_get and row[place] in "YL":
        return False
    if row[place] not in REFUSED:
        return not place or row[place - 1] != row[place]
    is_last = place + 1 == len(row) or row[place + 1] != row[place]
    return is_last or (place > 0 and row[place - 1] not in REFUSED)


@pytest.mark.parametrize("persona", PERSONAS)
def test_where_the_table_tells_people_apart_they_are_answered_so(site, persona):
    chosen, seen = partial(is_telling, persona=persona), set[str]()
    wrong = unlike_the_table(site, persona, ("GET", "POST"), chosen, seen)
    for address in TABLE["peeks"] if persona in ("anonymous", "other") else ():
        asked = ask_at(address.format(**site.arguments), site.clients[persona])
        if asked.read or asked.outcome not in "Y4R":
            wrong.append(f"{address}: got {asked.outcome} {asked.read or ''}")
    assert not wrong, "\n".join(wrong)
    if persona == "owner":  # or what nobody is shown would prove nothing
        assert seen == {name for name, readers in READERS.items() if persona in readers}


@pytest.mark.slow
@pytest.mark.parametrize("persona", PERSONAS)
def test_every_address_answers_as_the_table_says(site, persona):
    wrong = unlike_the_table(site, persona, ("GET", "POST"))
    assert not wrong, "\n".join(wrong)


OF_TEAM = {
    "anonymous": "anonymous",
    "team-owner": "owner",
    "team-member": "owner",
    "owner": "other",
    "other": "other",
    "annotator": "annotator",
    "moderator": "moderator",
}
"""Who stands to what is the team's as whom to what is the owner's."""


@pytest.mark.parametrize("persona", slow_except(OF_TEAM, {"team-member", "other"}.__contains__))
def test_what_is_a_teams_answers_its_members_as_what_is_theirs_and_nobody_else(site, persona):
    of_team, wrong = site.of_team(), []
    asked = [
        route
        for route in routes()
        if "submission_id" in route.parameters or route.name in ("model", "model-edit")
    ]
    for route in asked:
        for method in ("GET", "POST"):
            should = expected(route, method, OF_TEAM[persona])
            if found := ask(of_team, route, method, persona).faults(should, persona):
                wrong.append(f"{method} {route.name}: {found}")
    assert not wrong, "\n".join(wrong)
    assert len(asked) >= 20


@pytest.mark.slow
@pytest.mark.parametrize("persona", ABLE)
def test_methods_that_no_row_names_change_nothing(site, persona):
    wrong = unlike_the_table(site, persona, OTHER_METHODS)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("persona", ["owner", "superuser"])
def test_nothing_is_written_without_the_csrf_token(site, persona):
    for route in routes():
        is_signed = route.name == "notices-unsubscribe"  # mailboxes send it; its link is the token
        writes = "W" in {expected(route, "POST", name) for name in PERSONAS}
        if writes and not is_signed:
            asked = ask(site, route, "POST", persona, **{"X-CSRFToken": "d" * 32})
            assert (asked.outcome in "3L14", asked.written) == (True, set()), route.name
