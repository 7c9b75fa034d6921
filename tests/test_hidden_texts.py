"""What is hidden stays hidden: canaries in every hidden text, over every address, by all who must
not see them."""

import io
import logging
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import Permission, User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import Model
from django.test import Client, override_settings
from django.test.signals import template_rendered
from django.urls import reverse
from django.utils import timezone

from benchmarks.models import Benchmark, FigureImage, Question, Release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.team_models import Membership
from benchmarks.submissions.teams.services import found_team
from judging.models import JudgeCall, Judgement, JudgeRun, JudgeSpec
from judging.panel.studies.plans import create_study, questionnaires
from leaderboard.models.notices import Notice, NoticeCursor, Webhook, WebhookDelivery
from leaderboard.operations.files.data_exports import write_export
from leaderboard.operations.mail.operator_mail import tell_operators
from leaderboard.people.accounts.holders import hand_over
from leaderboard.people.notices import mailing
from leaderboard.people.notices.telling import tell_people
from leaderboard.results.chain.links import link_waiting
from leaderboard.results.selectors import eras_of
from leaderboard.web.evidence.folder import settled_source, write_evidence
from leaderboard.web.exports import EXPORTS
from tests.api_clients import session_client
from tests.hidden_site import CANARY, FAMILIES, HiddenSite, answers_to, build_hidden_site
from tests.leaderboard.web.evidence.checking import verify
from tests.routes import Route, routes
from tests.slow import slow_except, slow_except_every

pytestmark = pytest.mark.slow  # all look at a site that takes seconds to make
State = Judgement.State
ACCEPTED: tuple[dict[str, str], ...] = (
    {},
    {"Accept": "application/json"},
    {"Accept": "text/html", "HX-Request": "true"},
)
OWN = {"owner": {"cnry-mail-of-owner", "cnry-private-answer"}, "other": {"cnry-mail-of-other"}}
FILES = ["csv", "jsonl", "parquet"]
PARQUET = b"PAR1"  # how such a file begins
ARCHIVE = b"PK\x03\x04"  # how a ZIP file begins
PASSWORD = "a long enough password"
PERSONAS = ("anonymous", "owner", "other", "token read", "token submit", "token publish")
BAD_FILES = (
    b'{"id": "nobody", "prediction": "An answer"}\n',
    b'{"id": "VD/figure/0/0/0", "prediction": 1}\n',
)


class Log(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(logging.Formatter(logging.BASIC_FORMAT).format(record))


@pytest.fixture(scope="module")
def log() -> Iterator[Log]:
    """Every line of every logger, as the settings let them through where LOG_LEVEL is DEBUG."""
    root, log = logging.getLogger(), Log()
    level = root.level
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    yield log
    root.setLevel(level)
    root.removeHandler(log)


@pytest.fixture(scope="module")
def built(log, django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[HiddenSite]:
    """Built once for all tests here: each of them runs in a transaction inside of this one."""
    folder = tmp_path_factory.mktemp("hidden")
    with django_db_blocker.unblock(), transaction.atomic():
        with override_settings(JUDGE_RETRY_SECONDS=[0]):
            yield build_hidden_site(folder)
        transaction.set_rollback(True)


@pytest.fixture
def site(built: HiddenSite, db) -> HiddenSite:
    return built


def personas(site: HiddenSite) -> dict[str, Client]:
    return {
        "anonymous": Client(),
        "owner": session_client(site.owner),
        "other": session_client(site.other),
        **{
            f"token {scope}": Client(headers={"Authorization": f"Bearer {key}"})
            for scope, key in site.tokens.items()
        },
    }


def named_by(route: Route) -> type[Model]:
    """Whose slugs its addresses have."""
    kinds: dict[str, type[Model]] = {
        "judge": JudgeSpec,
        "model": EvaluatedModel,
        "model-edit": EvaluatedModel,
    }
    name = route.name.removeprefix("api-")
    return kinds.get(name) or (Release if "release" in name else Benchmark)


def addresses(route: Route, site: HiddenSite) -> set[str]:
    """The route with everything that could stand in it. What it does not know is one text that
    names nothing."""
    known: dict[str, list[Any]] = {
        "slug": [*named_by(route)._default_manager.values_list("slug", flat=True)],
        "kind": [*(FILES if re.search("answers|verdicts", route.pattern) else EXPORTS)],
        "submission_id": [submission.pk for submission in site.submissions],
        "question_id": list(Question.objects.values_list("pk", flat=True)),
        "image_id": list(FigureImage.objects.exclude(sha256="").values_list("pk", flat=True)[:2]),
    }
    found = {}
    for name in ("slug", "submission_id", "image_id", "question_id"):
        if name in route.parameters:
            found = {name: known[name]}
    one = dict.fromkeys(route.parameters, 1) | {"kind": "csv", "app_label": "benchmarks"}
    if not found:
        return {route.address(one)}
    ((name, values),) = found.items()
    kinds = known["kind"] if "kind" in route.parameters else [""]
    return {route.address({**one, name: value, "kind": kind}) for value in values for kind in kinds}


def with_judges(address: str, site: HiddenSite) -> Iterator[str]:
    """An entry, and the verdicts of a submission, by each of its judges; every other address as it
    is."""
    yield address
    if "/entries/" in address or "/verdicts." in address:
        for run in site.runs:
            if str(run.submission_id) in address:
                yield f"{address}?judge={run.judge_spec.slug}"


def requests(persona: str, site: HiddenSite) -> Iterator[tuple[Route, str, dict[str, str]]]:
    """Every address in every form. Tokens open the API alone: elsewhere their holder is anybody."""
    for route in routes():
        is_api = route.pattern.startswith("api/")
        if is_api or not persona.startswith("token"):
            for base in sorted(addresses(route, site)):
                for address in with_judges(base, site):
                    is_many = is_api or route.name == "submission-progress"
                    for headers in ACCEPTED if is_many and "?" not in address else ACCEPTED[:1]:
                        yield route, address, headers


def members_of(content: bytes) -> Iterator[bytes]:
    """Names and contents of all that is in an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name.encode()
            yield archive.read(name)


def body_of(response) -> str:
    content = b"".join(response) if response.streaming else response.content
    if content.startswith(ARCHIVE):
        content = b"\n".join(members_of(content))
    if content.startswith(PARQUET):
        content = str(pq.read_table(io.BytesIO(content)).to_pylist()).encode()
    return content.decode("utf-8", "replace") + str(response.headers)


def hits_of(persona: str, text: str) -> set[str]:
    return {hit for hit in CANARY.findall(text) if hit not in OWN.get(persona, set())}


@pytest.mark.parametrize("persona", slow_except(PERSONAS, "other".__eq__))
def test_no_address_shows_a_hidden_text(site, persona):
    hits, asked, client = Counter[tuple[str, str]](), 0, personas(site)[persona]
    for route, address, headers in requests(persona, site):
        asked += 1
        for hit in hits_of(persona, body_of(client.get(address, headers=headers))):
            hits[route.name, re.sub(r"-\d+$", "", hit)] += 1
    assert asked > (150 if persona.startswith("token") else 300)
    assert not hits, f"{sum(hits.values())} hits in {asked} requests"


WRONG = (
    "?judge=nobody",
    "?release=nowhere",
    "?as_of=1999-01-01",
    "?snapshot=ffff",
    "?q=%00",
    "?x=1",
)


@pytest.mark.parametrize("persona", slow_except(PERSONAS, "token publish".__eq__))
def test_no_refusal_of_the_api_shows_a_hidden_text(site, persona):
    """Every address of it in ways that it refuses, and every change of what is somebody else's."""
    client, statuses, hits = personas(site)[persona], Counter[int](), set[str]()
    for route in routes():
        if not route.pattern.startswith("api/"):
            continue
        for base in sorted(addresses(route, site)):
            answers = [client.get(f"{base}{query}") for query in WRONG]
            answers += [client.put(base), client.options(base)]
            if persona != "owner":  # whose entries the other tests look at
                answers += [client.post(base, {"reason": "x"}), client.delete(base)]
            for answer in answers:
                statuses[answer.status_code] += 1
                hits |= hits_of(persona, body_of(answer))
    assert not hits
    assert {400, 404} <= set(statuses)
    assert max(statuses) < 500


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.slug)
def test_no_file_of_evidence_holds_a_hidden_text_and_the_rest_of_its_figures_hold(
    site, family, tmp_path
):
    benchmark = Benchmark.objects.get(slug=family.slug)
    JudgeRun.objects.filter(judge_spec__model="renamed").update(unscored=None)
    for number, era in enumerate(eras_of(benchmark)):
        folder = tmp_path / str(number)
        source = settled_source(benchmark, judge=era.judge_spec.slug)
        assert write_evidence(folder, source).answers
        files = [path for path in folder.rglob("*") if path.is_file()]
        texts = {path.name: path.read_text() for path in files}
        assert {name: hits for name, text in texts.items() if (hits := CANARY.findall(text))} == {}
        figures, differing, links = verify.check(folder)
        assert (differing, links) == ([], [])
        assert figures


def test_the_judge_did_repeat_what_is_hidden_in_every_way(site):
    """Or the test above would find nothing whatever the pages showed."""
    shown = Judgement.objects.filter(run__in=site.runs)
    states = {State.JUDGED, State.UNREADABLE, State.REFUSED, State.TOO_LONG, State.FAILED}
    for family in FAMILIES:
        rows = shown.filter(run__submission__release__benchmark__slug=family.slug)
        echoed = rows.filter(raw_reply__contains="cnry-")
        readable = states if family.verdict else states - {State.JUDGED}
        assert {*rows.values_list("state", flat=True)} >= states | {State.PAUSED}
        assert {*echoed.values_list("state", flat=True)} >= readable - {State.FAILED, State.REFUSED}


def test_dry_runs_repeat_what_is_hidden_too(site):
    """Their pages are among those above, and say what a judge made of an answer all the same."""
    tried = JudgeRun.objects.filter(dry_run__isnull=False)
    assert tried.count() == len(FAMILIES)
    for run in tried:
        assert run.judgements.filter(raw_reply__contains="cnry-").exists()
        page = body_of(session_client(site.owner).get(f"/submissions/{run.submission_id}/"))
        assert '<article class="question' in page
        assert not hits_of("owner", page)


def test_no_reason_error_or_pause_holds_a_hidden_text(site):
    said = [
        *Judgement.objects.values_list("reason", flat=True),
        *Judgement.objects.values_list("reported_model", flat=True),
        *JudgeCall.objects.values_list("error", flat=True),
        *JudgeRun.objects.values_list("pause_reason", flat=True),
    ]
    assert {"no verdict could be read in the reply", "HTTP 400: the request is refused"} <= {*said}
    assert any("not a model's name" in text for text in said)
    assert not [text for text in said if CANARY.search(str(text))]


def test_no_log_line_and_no_mail_holds_a_hidden_text(site, log, settings):
    settings.ADMINS = [("Operator", "operator@example.org")]
    assert tell_operators() >= len(FAMILIES)
    assert log.lines  # or nothing was looked at
    assert not [line for line in log.lines if CANARY.search(line)]
    assert "is paused" in mail.outbox[0].body
    assert not CANARY.search(str(mail.outbox[0].body))


def invite_somebody(site: HiddenSite) -> None:
    team = found_team(name="The Spellers", by=site.owner)
    held = Submission.objects.filter(owner=site.owner, visibility="private")
    assert held.update(team=team)
    address = f"/teams/{team.pk}/invite/"
    session_client(site.owner).post(address, {"email": "ann@example.org"})


def tell_of_notices(site: HiddenSite) -> None:
    submission = Submission.objects.filter(owner=site.owner, visibility="private").first()
    kinds = {"kind": Notice.Kind.FINISHED, "title": "Judged", "sentence": "It is judged."}
    told = Notice(owner=site.owner, submission=submission, **kinds)
    mailing.message_of(site.owner.pk, "a@b.example", [told]).send()


def staff_client() -> Client:
    return session_client(User.objects.create_superuser("chief", "chief@example.org", PASSWORD))


def add_a_person(site: HiddenSite) -> None:
    wanted = {"email": "ann@example.org", "groups": ["annotators"]}
    staff_client().post("/admin/leaderboard/personinvitation/add/", wanted)


def invite_a_rater(site: HiddenSite) -> None:
    submission = Submission.objects.filter(visibility="public", owner__isnull=False).first()
    assert submission is not None
    study = create_study(
        release=submission.release,
        submissions=[submission],
        title="How good?",
        questionnaire=questionnaires(submission.release)[0].key,
        size=1,
        seed=7,
        check_every=0,
    )
    address = reverse("admin:panel_study_invite", args=[study.pk])
    staff_client().post(address, {"people": "ann@example.org"})


def sign_up(email: str) -> None:
    passwords = {"password1": PASSWORD, "password2": PASSWORD}
    Client().post("/accounts/signup/", {"email": email, **passwords})


def forget_password(email: str) -> None:
    Client().post("/accounts/password/reset/", {"email": email})


def hand_over_an_account(owner: User) -> None:
    """To who reads the mail of its address, who has confirmed it to nobody yet. Another object than
    the other tests sign in with, which keeps its password."""
    EmailAddress.objects.filter(user=owner).delete()
    hand_over(user=User.objects.get(pk=owner.pk))


def change_password(owner: User) -> None:
    user = User.objects.get(pk=owner.pk)  # as above: the other tests sign in with this password
    user.set_password(PASSWORD)
    user.save()
    wanted = {"oldpassword": PASSWORD, "password1": PASSWORD[::-1], "password2": PASSWORD[::-1]}
    session_client(user).post("/accounts/password/change/", wanted)


MAILS: dict[str, Callable[[HiddenSite], object]] = {
    "teams/invitation_mail.txt": invite_somebody,
    "people/notices_mail.txt": tell_of_notices,
    "people/invitation_mail.txt": add_a_person,
    "studies/invitation_mail.txt": invite_a_rater,
    "account/email/email_confirmation_message.txt": lambda site: sign_up("new@example.org"),
    "account/email/account_already_exists_message.txt": lambda site: sign_up(site.owner.email),
    "account/email/password_reset_key_message.txt": lambda site: forget_password(site.owner.email),
    "account/email/base_notification.txt": lambda site: change_password(site.owner),
    "account/email/handed_over.txt": lambda site: hand_over_an_account(site.owner),
    "account/email/unknown_account_message.txt": lambda site: forget_password("no@example.org"),
}
"""By its template, what sends each mail to people."""
NO_MAILS = re.compile(r"messages/|_subject\.txt$|/base_message\.txt$")
TEMPLATES = Path(settings.BASE_DIR) / "templates"
SENDERS = {
    "leaderboard/people/accounts/holders.py",
    "benchmarks/common/invitations.py",  # for the next three
    "judging/panel/study_admin.py",
    "leaderboard/people/staff/invitation_admin.py",
    "leaderboard/web/pages/people/team.py",
    "leaderboard/people/notices/mailing.py",
    "leaderboard/operations/mail/operator_mail.py",
    "leaderboard/operations/mail/outbox.py",  # sends what the others kept
    "leaderboard/management/commands/try_mail.py",  # of constants alone
}


def test_every_mail_is_among_those_that_are_looked_at():
    found = {str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.txt")}
    assert {name for name in found if not NO_MAILS.search(name)} == set(MAILS)
    making = re.compile(r"\b(EmailMessage|EmailMultiAlternatives|send_mail|mail_link|mail_\w+s)\(")
    sources = {
        str(path.relative_to(settings.BASE_DIR))
        for room in ("benchmarks", "judging", "leaderboard")
        for path in (Path(settings.BASE_DIR) / room).rglob("*.py")
        if making.search(path.read_text(encoding="utf-8"))
    }
    assert sources == SENDERS


@pytest.mark.parametrize("template", MAILS)
def test_no_mail_to_people_holds_what_is_anothers(site, template):
    rendered: list[str] = []

    def note(sender: Any, template: Any, **_: Any) -> None:
        rendered.append(str(template.origin.name))

    template_rendered.connect(note)
    try:
        MAILS[template](site)
    finally:
        template_rendered.disconnect(note)
    assert str(TEMPLATES / template) in rendered
    (message,) = mail.outbox
    assert "Assay" in message.subject
    assert "Hello from Assay." in message.body
    own = {site.owner.email: {"cnry-mail-of-owner"}}.get(message.to[0], set())
    assert {*CANARY.findall(f"{message.subject}{message.body}")} <= own


@pytest.mark.parametrize("persona", ["owner", "other"])
def test_nobodys_copy_of_their_data_holds_what_is_anothers(site, persona):
    team = found_team(name="The Spellers", by=site.owner)
    Membership.objects.create(team=team, user=site.other)
    assert Submission.objects.filter(owner=site.owner, visibility="private").update(team=team)
    file = io.BytesIO()
    write_export(getattr(site, persona), file)
    text = b"\n".join(members_of(file.getvalue())).decode("utf-8", "replace")
    assert "cnry-mail-of-" + persona in text  # or nothing was looked into
    assert ("cnry-private-answer" in text) == (persona == "owner")
    assert not hits_of(persona, text)


def test_what_is_asked_of_the_api_puts_no_hidden_text_into_the_log(site, log):
    """In that order: what a request logs is looked at when it was made."""
    before = len(log.lines)
    for submission in site.submissions:
        for client in personas(site).values():
            client.get(f"/api/v1/entries/{submission.pk}/verdicts/?judge=nobody")
            client.post(f"/api/v1/submissions/{submission.pk}/publish/", {"x": "y"})
    assert len(log.lines) > before
    assert not [line for line in log.lines[before:] if CANARY.search(line)]


def test_no_notice_and_nothing_told_to_a_program_holds_a_hidden_text(site):
    owners = set(User.objects.filter(submissions__isnull=False))
    for owner in owners:
        Webhook.objects.create(owner=owner, url="https://a.example/", on_paused=True)
    long_ago = timezone.now() - timedelta(days=3650)
    NoticeCursor.objects.create(pk=NoticeCursor.ONLY, link=0, paused=long_ago, unconfirmed=long_ago)
    link_waiting()
    assert tell_people() > 0
    said = [f"{row.title} {row.sentence}" for row in Notice.objects.all()]
    said += WebhookDelivery.objects.values_list("body", flat=True)
    mails = [
        mailing.message_of(owner.pk, "a@b.example", list(Notice.objects.filter(owner=owner))).body
        for owner in owners
    ]
    assert WebhookDelivery.objects.exists()
    assert not [text for text in [*said, *mails] if CANARY.search(str(text))]


@pytest.mark.parametrize(
    "family", slow_except_every(len(FAMILIES), FAMILIES), ids=lambda family: family.slug
)
def test_no_refusal_and_no_note_on_a_file_holds_a_hidden_text(site, family):
    browser, api = session_client(site.other), personas(site)["token submit"]
    for release in Release.objects.filter(benchmark__slug=family.slug):
        good = answers_to(release, "An answer,")
        half = b"\n".join(good.splitlines()[::2])
        for content in (good, half, *BAD_FILES):
            form = {"release": release.slug, "model": "M"}
            for client, address in ((browser, "/submit/"), (api, "/api/v1/submissions/")):
                file = SimpleUploadedFile("answers.jsonl", content)
                response = client.post(address, {**form, "file": file}, follow=True)
                assert response.status_code in {200, 201, 422}
                assert not hits_of("other", body_of(response))


def test_who_reviews_judgements_reads_the_reply_and_what_is_wrong_with_it(site):
    reviewer = User.objects.create_user("vera", "vera@example.org", is_staff=True)
    reviewer.user_permissions.add(Permission.objects.get(codename="review_judgement"))
    row = Judgement.objects.filter(
        state=State.UNREADABLE, finish_reason="stop", judge_spec__protocol="touchstone"
    ).first()
    address = f"/admin/judging/judgementforreview/{row.pk}/change/"
    page = session_client(reviewer).get(address).content.decode()
    assert "cnry-description-touchstone" in page
    assert "Two scores from 1 to 10 were expected" in page
