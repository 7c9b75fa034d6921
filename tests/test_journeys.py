"""One journey for each person who uses the site, from signing up or in to the number on the board
and back, by what its pages, mails and files say.

Pages are read as a browser without scripts shows them (tests/person.py); what workers do meanwhile
is done between two of them.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from assay.site import Site
from django.contrib.auth.models import Group, User
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client

from benchmarks.models import Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.samples.floor import set_floor_version
from leaderboard.models import BoardVersion
from leaderboard.operations.sweeps import each_minute, sweep_here
from leaderboard.people.notices.each_minute import tell_and_mail
from tests.api_clients import body_of
from tests.benchmarks.pictures import picture
from tests.conftest import ANSWERS, SPELLING, confirmed, make_groups, submit
from tests.judging.conftest import LINES
from tests.judging.endpoint import Endpoint, Served, completion, failure, serve
from tests.person import Person

PASSWORD = "seven grey herons at low tide"
BOARD = "/boards/spelling/"


@pytest.fixture
def release(db, tmp_path) -> Release:
    """Two questions about one picture, one about another, and one about none. People are told what
    happens from now on."""
    make_groups()
    for name in ("one.png", "dark.png"):
        (tmp_path / name).write_bytes(picture())
    found: Release = import_release(
        protocol=protocol("spelling"),
        stream=io.BytesIO(LINES),
        images=tmp_path,
        slug="spelling-1",
        disclosure=Release.Disclosure.OPEN,
    ).release
    set_floor_version(found)
    tell_and_mail()
    return found


@pytest.fixture
def judge(settings) -> Iterator[Endpoint]:
    """A model that reads the words of a question and its answer, and finds a picture's question
    answered only where a description says what there is to see."""

    def reply(request: dict[str, Any]) -> Served:
        asked = str(request["messages"])
        is_right = "night" in asked or "A kettle" in asked
        return completion("right" if is_right else "wrong")

    with serve(reply) as endpoint:
        settings.JUDGE_ENDPOINTS = {"here": {"url": endpoint.url, "key": "", "prices": {}}}
        settings.DEFAULT_JUDGE = "openai:scribe@here"
        yield endpoint


def work() -> None:
    """What workers do within a minute, in which boards that were slow to store are due again."""
    BoardVersion.objects.update(next_at=None)
    sweep_here(grace=timedelta(0))
    tell_and_mail()


def account(name: str, *, group: str = "", **rights: bool) -> User:
    user = confirmed(User.objects.create_user(name, f"{name}@lab.example", PASSWORD, **rights))
    user.groups.add(*Group.objects.filter(name=group))
    return user


def signed_in(user: User, at: str = "/accounts/login/") -> Person:
    person = Person()
    person.go(at)
    person.press("Sign in", login=user.email, password=PASSWORD)
    return person


def link_in(text: object, part: str) -> str:
    """The path of the one link with these signs."""
    (found,) = re.findall(rf"http://[^/\s]+(/\S*{part}\S*)", str(text))
    return str(found)


def row_of(model: str) -> list[str]:
    """What everybody reads of it on the board: rank, model, figures, coverage."""
    visitor = Person()
    visitor.go(BOARD)
    (row,) = [row[1:] for row in visitor.rows("In order of rank") if model in row[2]]
    return row


def file_of(answers: bytes = ANSWERS) -> SimpleUploadedFile:
    return SimpleUploadedFile("answers.txt", answers)


# --- a visitor ------------------------------------------------------------------------------------


def test_a_visitor_comes_from_a_rank_to_the_judges_own_words_and_back(release, judge):
    rosa = account("rosa")
    submit(release, rosa, ANSWERS, "Heron 3B", visibility="public")
    submit(release, rosa, b"1=to\n2=culor\n3=night\n4=see\n", "Egret 1B", visibility="public")
    submit(release, rosa, b"1=1\n2=2\n3=3\n4=4\n", "Secret 9B", visibility="private")
    work()
    visitor = Person()
    assert "Secret" not in visitor.go("/")
    assert "Secret" not in visitor.follow("Spelling")
    ranks = {row[2].split(" by ")[0]: row for row in visitor.rows("In order of rank")}
    assert ranks.keys() == {"Heron 3B", "Egret 1B"}
    told = visitor.follow("Heron 3B")
    value, interval = ranks["Heron 3B"][4].split(" ", 1)
    assert f"{value} %, {interval} Accuracy, 95 % interval" in told
    question = visitor.page.xpath("//article[contains(@class, 'question')]")
    assert len(question) == release.question_count
    assert told.count("Is the word spelled right? (asked 2 times, this is 2)") == 4
    told = visitor.follow("All answers to this question 3 →")
    assert "2 public answers, best first; judged by scribe" in told
    assert "Secret" not in told
    told = visitor.follow("Egret 1B")
    assert "Answer culor Reference colour wrong" in told
    visitor.follow("Spelling")
    assert visitor.path == BOARD


# --- a researcher ---------------------------------------------------------------------------------


def sign_up(email: str) -> Person:
    person = Person()
    person.go("/")
    person.follow("Sign up")
    told = person.press("Sign up", email=email, password1=PASSWORD, password2=PASSWORD)
    assert f"Confirmation email sent to {email}" in told
    (message,) = mail.outbox
    assert message.to == [email]
    person.go(link_in(message.body, "confirm-email"))
    person.press("Confirm")
    told = person.press("Sign in", login=email, password=PASSWORD)
    assert f"Signed in as {email}" in told
    mail.outbox.clear()
    return person


def test_a_researcher_signs_up_hands_in_publishes_replaces_and_withdraws(release):
    rosa = sign_up("rosa@lab.example")
    rosa.follow("Submit a model")
    told = rosa.press("Check the file", file=file_of(b"1=two\n1=three\n9=x\n"), model_name="Heron")
    assert "The file was not accepted" in told
    rosa.press("Check the file", file=file_of(), model_name="Heron 3B", organisation="Heron Lab")
    entry = rosa.address
    told = rosa.press("Try 4 questions")
    assert "Confirm and judge" in told
    rosa.press("Confirm and judge", visibility="private")
    work()
    (message,) = mail.outbox
    assert message.to == ["rosa@lab.example"]
    assert "Accuracy 75.00" in message.body
    assert rosa.go(link_in(message.body, "submissions/")).startswith("Heron 3B")
    assert "Accuracy 75.00 (95 % interval 30.06 to 95.44)" in rosa.go(entry)
    assert "Heron" not in Person().go(BOARD)
    rosa.follow("Publish")
    rosa.press("Publish")
    work()
    model, figure = row_of("Heron 3B")[1:3]
    assert re.fullmatch(r"Heron 3B by member \d+ · Heron Lab", model)
    assert figure == "75.00 30.06 to 95.44"
    rosa.go(entry)
    rosa.follow("Replace with a new version")
    rosa.press("Check the file", file=file_of(ANSWERS.replace(b"color", b"colour")))
    rosa.press("Confirm and judge", visibility="public")
    work()
    assert row_of("Heron 3B")[2].startswith("100.00")
    rosa.follow("Withdraw")
    rosa.press("Withdraw permanently", reason="The prompt named the answer.")
    work()
    visitor = Person()
    assert "Heron 3B" not in visitor.go(BOARD).partition("History")[2]
    assert "The prompt named the answer." in visitor.go(rosa.path.replace("submissions", "entries"))


# --- a client -------------------------------------------------------------------------------------


def sent_here(request: httpx2.Request) -> httpx2.Response:
    """As by a network."""
    headers = {name: value for name, value in request.headers.items() if name != "content-length"}
    path = request.url.raw_path.decode()
    kind = headers.pop("content-type", "")
    reply = Client().generic(request.method, path, request.read(), kind, headers=headers)
    return httpx2.Response(reply.status_code, headers=dict(reply.items()), content=body_of(reply))


def test_a_client_hands_in_waits_publishes_and_reads_the_same_number_everywhere(release, tmp_path):
    rosa = signed_in(account("rosa"))
    rosa.follow("Tokens")
    rosa.press("Create token", name="cluster", scope="publish")
    key = rosa.page.xpath("//pre/text()")[0].strip()
    file = tmp_path / "answers.txt"
    file.write_bytes(ANSWERS)
    with Site(
        "http://testserver",
        token=key,
        transport=httpx2.MockTransport(sent_here),
        sleep=lambda seconds: work(),
    ) as site:
        assert site.check(file, release=release.slug)["answers"] == 4
        sent = site.submit(file, model="Heron 3B", release=release.slug)
        assert site.submit(file, model="Heron 3B", release=release.slug)["id"] == sent["id"]
        assert site.wait(sent["id"])["state"] == "judged"
        assert site.board("spelling")["entries"] == []  # it is private
        site.publish(sent["id"])
        work()
        (entry,) = site.board("spelling")["entries"]
        verdicts = [json.loads(line) for line in site.verdict_lines(sent["id"])]
        said = [(v["question"], v["answer"], v["verdict"]) for v in verdicts]
        assert said == [
            ("1", "two", "right"),
            ("2", "color", "wrong"),
            ("3", "night", "right"),
            ("4", "sea", "right"),
        ]
        value = entry["figures"]["accuracy"]["value"]
        assert value == sum(v["points"] for v in verdicts) / len(verdicts) == 0.75
        assert row_of("Heron 3B")[2].startswith(f"{100 * value:.2f} ")
        exported = body_of(Client().get(f"{BOARD}export.csv")).decode("utf-8-sig")
        (row,) = csv.DictReader(io.StringIO(exported))
        assert (row["model"], row["rank"], row["accuracy"]) == ("Heron 3B", "1", "0.75")
        site.withdraw(sent["id"], reason="A wrong file.")
        assert site.board("spelling")["entries"] == []


# --- an annotator and a reviewer ------------------------------------------------------------------


def test_what_an_annotator_writes_and_a_reviewer_approves_changes_the_number(release, judge):
    submit(release, account("rosa"), ANSWERS, "Heron 3B", visibility="public")
    work()
    assert row_of("Heron 3B")[2].startswith("25.00")
    ann = signed_in(account("ann", group="annotators", is_staff=True))
    ann.press("Describe the next")
    ann.press("Submit and next", text="A kettel.")
    reviewer = account("rev", group="reviewers", is_staff=True)
    rev = signed_in(reviewer)
    told = rev.press("Review the next")
    assert "A kettel." in told
    rev.press("Send back with comment", comment="Spell it right.")
    told = ann.go("/admin/")
    assert "1 Sent back to me" in told
    ann.follow("1 Sent back to me")
    told = ann.follow("Short 1")
    assert "Spell it right." in told
    ann.press("Submit for review", text="A kettle.")
    rev.go("/admin/benchmarks/description/")
    rev.press("Review the next")
    told = rev.press("Approve version 2")
    work()
    assert row_of("Heron 3B")[2].startswith("25.00")  # until somebody has it judged again
    assert len(judge.asked) == 8
    rev.go("/admin/judging/stalejudgement/")
    told = rev.press("Judge all of it again…")
    assert "4 judgements in 1 entry of Spelling, 4 questions would be judged again" in told
    rev.press("Judge 4 again", reason="The picture is described.")
    work()
    assert len(judge.asked) == 12  # what asks about other pictures is not asked again
    assert row_of("Heron 3B")[2].startswith("75.00")
    told = Person().go(f"{BOARD}history/")
    assert "Heron 3B : judged again" in told
    assert "new edition 2 of the reference texts" in told


# --- a rater --------------------------------------------------------------------------------------


def test_a_rater_follows_a_link_agrees_votes_and_is_counted(release):
    submit(release, account("rosa"), ANSWERS, "Heron 3B", visibility="public")
    work()
    ada = signed_in(account("ada", is_staff=True, is_superuser=True))
    ada.go("/admin/panel/study/add/?release=spelling-1")
    ada.page.forms[-1].fields["entries"] = ada.page.xpath("//input[@name='entries']/@value")
    ada.press("Preview", title="Does it spell?", size="2", check_every="0", raters_per_item="1")
    ada.press("Draw the study")
    page = ada.address
    ada.press("Invite", people="Bodil")
    (link,) = ada.page.xpath("//*[contains(@class, 'links')]//code/text()")
    ada.go(page)
    ada.follow("Open")
    ada.press("Open the study")
    bodil = Person()
    told = bodil.go(link_in(link, "rate"))
    assert "Heron" not in told  # whose answers they are is told to no rater
    bodil.press("I agree: begin")
    for _ in range(2):
        items = json.loads(bodil.page.xpath("//script[@type='application/json']/text()")[0])[
            "items"
        ]
        told = bodil.press("Correct" if items[0]["texts"] == ["color"] else "Incorrect")
    assert "You have rated everything: 2 items. Thank you." in told
    assert "2 of 2 votes; 2 of 2 answers have all of theirs" in ada.go(page)
    assert "Does it spell?" not in Person().go("/studies/")
    ada.follow("Close")
    ada.press("Close the study")
    each_minute()
    visitor = Person()
    visitor.go("/")
    visitor.follow("Studies")
    (row,) = visitor.rows()
    assert row[1:5] == ["Correct", "2", "1", "2"]
    told = visitor.follow("Does it spell?")
    assert "2 answers to 2 groups of questions" in told
    assert "1 person, 2 votes" in told
    assert "Bodil" not in told
    # the rules call "color" wrong and "night" right, and Bodil the other way round
    assert visitor.rows()[0][1].startswith("0.0 %")


# --- an operator ----------------------------------------------------------------------------------


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_an_operator_brings_a_release_and_reopens_a_judge_that_failed(db, tmp_path, settings):
    make_groups()
    told = run("create_admin", "ada@lab.example")
    (password,) = re.findall(r"Password: (\S+)", told)
    ada = Person()
    ada.go("/accounts/login/")
    ada.press("Sign in", login="ada@lab.example", password=password)
    dataset, answers = tmp_path / "words.txt", tmp_path / "answers.txt"
    dataset.write_bytes(SPELLING)
    answers.write_bytes(ANSWERS)
    told = run("import_release", "spelling", str(dataset), "--slug=spelling-1", "--disclosure=open")
    assert told.startswith("Release spelling-1: 4 questions")
    replies = [failure(401)]
    with serve(lambda request: replies[-1]) as endpoint:
        settings.JUDGE_ENDPOINTS = {"here": {"url": endpoint.url, "key": "", "prices": {}}}
        settings.DEFAULT_JUDGE = "openai:scribe@here"
        owner = ("--owner", "ada@lab.example", "--public")
        told = run("submit", "spelling-1", str(answers), "--model", "Heron 3B", *owner)
        assert told.startswith("Accepted as submission ")
        work()
        refused = len(endpoint.asked)
        assert "halted since" in ada.follow("Status")
        assert ada.page.xpath("//table[last()]//td[last()]")[-1].text_content().strip() == (
            "HTTP 401: the key is refused"
        )
        assert run("endpoints").startswith("here: halted (HTTP 401: the key is refused)")
        replies.append(completion("right"))
        work()
        assert len(endpoint.asked) == refused  # nothing is asked until somebody reopens it
        assert run("endpoints", "--reopen", "here") == "here is open; 1 paused run goes on\n"
        work()
    assert len(endpoint.asked) == refused + 8  # each of four answers twice, and none again
    assert row_of("Heron 3B")[2].startswith("100.00")
    told = run("ledger")
    assert re.search(r"answered +8 +88 +16 ", told)
    assert re.search(rf"failed +{refused} +0 +0 ", told)
    (entry,) = json.loads(run("export_board", "spelling"))["entries"]
    assert entry["figures"]["accuracy"]["value"] == 1.0
