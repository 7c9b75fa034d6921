"""What a study tells, from ratings to the page: every coefficient of sixty answers by three people,
who err in 5, 10 and 25 %, is that of a computation written plainly."""

import csv
import io
import random
import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.panel.models import RatingFile
from judging.panel.services import withdraw_ratings
from judging.services import ensure_spec
from leaderboard.models import JudgeComparison, StudyAnswer, StudyReport
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.services import score_finished_runs
from leaderboard.results.studies import labels
from leaderboard.results.studies.files import FIGURE
from leaderboard.results.studies.stored import refresh_reports
from tests.conftest import import_words, judged, submit
from tests.judging.panel.files import LABELLED, imported, upload
from tests.leaderboard.results.studies import plain
from tests.leaderboard.web.pages.shown_text import links, page_at, part, shown
from tests.person import words

ITEMS = range(1, 61)
ERRORS = (0.05, 0.1, 0.25)
WORD = {1: "correct", 0: "incorrect"}


def rate(submission, votes, names=("annabel", "bobbie", "cyril", "dee")):
    """A file with what each person says of each item, None where not asked."""
    lines = [
        f"{submission.pk},{item},{names[place]},{WORD[vote]}"
        for item, said in votes.items()
        for place, vote in enumerate(said)
        if vote is not None
    ]
    return imported(upload(*lines, header=LABELLED)).file


def people_say(rng, truth):
    return [1 - truth if rng.random() < error else truth for error in ERRORS]


@pytest.fixture(scope="module")
def made(module_rows):
    """A public entry with every third word wrong, judged by the offline rules, and a study of it by
    three people: their keys, and what each said."""
    words = import_words(ITEMS)
    owner = User.objects.create_user("rosa", "rosa@example.org")
    text = "".join(f"{n}={'other' if n % 3 == 0 else f'word{n}'}\n" for n in ITEMS)
    submission = submit(words, owner, text.encode(), "Speller")
    judged(submission)
    rng = random.Random(14)
    votes = {n: people_say(rng, int(n % 3 != 0)) for n in ITEMS}
    file = rate(submission, votes)
    score_finished_runs()
    assert refresh_reports() == 1
    return submission.pk, file.pk, votes


@pytest.fixture
def spelled(made, db):
    return Submission.objects.get(pk=made[0])


@pytest.fixture
def study(made, db):
    return RatingFile.objects.get(pk=made[1])


@pytest.fixture
def votes(made):
    return made[2]


def document(client, file):
    return client.get(reverse("study-file", args=[file.pk, "json"])).json()


def table(client, file):
    content = client.get(reverse("study-file", args=[file.pk, "csv"])).content.decode()
    return list(csv.DictReader(io.StringIO(content)))


def test_every_figure_is_that_of_a_plain_computation_in_the_document_and_in_the_table(
    study, spelled, votes, client
):
    (part,) = document(client, study)["parts"]
    items = list(votes.values())
    plain.assert_figures(part, items, [int(n % 3 != 0) for n in ITEMS])
    assert part["people"]["alpha"]["low"] < part["people"]["alpha"]["value"]
    (judge,) = part["judges"]
    assert judge["replacing"]["answer"] == "yes"
    # a part for each ability and model
    key, slug = str(spelled.pk), judge["judge"]
    assert part["models"][key]["alpha"]["value"] == plain.near(plain.nominal_alpha(items))
    assert judge["models"][key]["people"]["value"] == plain.near(plain.like_majority(items))
    assert sum(one["pairs"]["items"] for one in part["abilities"].values()) == 60
    told = {
        ("all", "", ""): part["people"],
        ("models", key, ""): part["models"][key],
        ("pairs", "rater 1 and rater 3", ""): part["pairs"][1],
        ("all", "", slug): judge["whole"],
        ("models", key, slug): judge["models"][key],
    }
    told |= {("abilities", name, ""): found for name, found in part["abilities"].items()}
    told |= {("abilities", name, slug): found for name, found in judge["abilities"].items()}
    told |= {("raters", f"rater {n}", ""): one for n, one in enumerate(part["each"], 1)}
    rows = table(client, study)
    assert len({(r["scope"], r["of"], r["judge"]) for r in rows}) == len(told) + 2  # other pairs
    for (scope, of, by), found in told.items():
        here = [r for r in rows if (r["scope"], r["of"], r["judge"]) == (scope, of, by)]
        assert {r["measure"]: {name: r[name] for name in FIGURE} for r in here} == {
            measure: {name: "" if one is None else str(one) for name, one in figure.items()}
            for measure, figure in found.items()
            if isinstance(figure, dict)
        }


def test_what_is_printed_is_what_was_computed_and_names_nobody(study, votes, client):
    items = list(votes.values())
    shown = client.get(reverse("study", args=[study.pk])).text
    plain.assert_printed(shown, items, [int(n % 3 != 0) for n in ITEMS])
    assert "<b>yes</b>" in shown
    assert all(name not in shown for name in ("annabel", "bobbie", "cyril"))
    assert "rater 1" in shown
    # the judge's card says whether it may stand in, and the API lists the study
    answer = StudyAnswer.objects.get()
    assert (answer.answer, answer.missing) == ("yes", 0)
    card = client.get(reverse("judge", args=[answer.judge_spec.slug])).text
    assert reverse("study", args=[study.pk]) in card
    assert "Can it replace a human rater?" in card
    (found,) = client.get(reverse("api-studies")).json()["results"]
    (judge,) = found["judges"]
    assert (found["id"], judge["answer"], judge["labels_missing"]) == (str(study.pk), "yes", 0)
    assert judge["people_agreement"] == plain.near(plain.like_majority(items))
    assert client.get(found["links"]["figures"]).json()["id"] == str(study.pk)


def test_a_study_of_the_same_rules_elsewhere_is_a_row_and_no_verdict(study, client):
    own = StudyAnswer.objects.get().judge_spec
    spec = ensure_spec(of=protocol("hallusionbench"), kind="rules")
    card = client.get(reverse("judge", args=[spec.slug])).text
    assert "Agrees with most people" not in card
    assert f'as <a href="/judges/{own.slug}/">{own.slug}</a>' in card
    assert f"/studies/{study.pk}/?judge={own.slug}" in card


def test_the_list_of_judges_opens_with_the_verdict_of_the_judges_page(study, votes, client):
    refresh_boards()
    slug = StudyAnswer.objects.get().judge_spec.slug
    (own,) = page_at(client, f"/judges/{slug}/").xpath("//p[@class='lead']/b")
    page = page_at(client, "/judges/")
    assert words(own).startswith("Agrees with people in 86.67 % (95 % interval")
    assert words(part(page, "verdicts")).endswith(f"Offline rules, version 1 : {words(own)}")
    assert "People have checked 1 of 1 judges, and agree with 86.7 % of the" in words(page)
    # where ratings of its entries say nothing, the newest study does
    stored = JudgeComparison.objects.get()
    stored.judges[0]["agreement"] = {}
    stored.save()
    agreement = StudyReport.objects.get().parts[0]["judges"][0]["whole"]["like_majority"]
    told = f"Agrees with most people in {100 * agreement[0]:.1f} % (95 % interval"
    assert told in shown(client, "/judges/")
    withdraw_ratings(file=study, reason="wrong")
    assert "No judge has been compared with people yet" in shown(client, "/judges/")


def test_two_studies_of_one_release_are_told_apart_wherever_they_are_named(
    study, spelled, votes, client
):
    other = rate(spelled, votes, names=("eve", "fay", "gus", "hal"))
    refresh_reports()
    slug = StudyAnswer.objects.first().judge_spec.slug
    shown = [client.get(reverse("studies")).text, client.get(reverse("judge", args=[slug])).text]
    for file in (study, other):
        title = f"{spelled.release.title}, study {str(file.pk)[:8]}"
        address = reverse("study", args=[file.pk])
        for page in shown:
            assert re.search(rf'<a [^>]*href="{address}[^"]*">{re.escape(title)}</a>', page)
        report = client.get(address).text
        assert (f"<h1>{title}</h1>" in report, f"<title>{title}" in report) == (True, True)
        assert document(client, file)["study"] == str(file.pk)[:8]
        assert {r["study"] for r in table(client, file)} == {str(file.pk)[:8]}


def test_a_study_and_the_list_open_with_how_far_people_and_judge_agree(study, votes, client):
    whole = StudyReport.objects.get().parts[0]["judges"][0]["whole"]
    share, _, _, items, *_ = whole["like_majority"]
    page = page_at(client, reverse("study", args=[study.pk]))
    first = words(page.xpath("//h1/following::p[1]")[0])
    began = f"Offline rules, version 1 agrees with most people in {100 * share:.1f} % of {items} "
    assert first.startswith(f"{began}rated answers (95 % interval")
    assert f"; single raters do in {100 * whole['people'][0]:.1f} %. It could replace a r" in first
    people = plain.like_majority(list(votes.values()))
    assert words(page_at(client, reverse("studies")).xpath("//h1/following::p[1]")[0]) == (
        f"People vote with the majority in {100 * people:.0f} % of their votes, and judges agree "
        f"with it in {100 * share:.0f} % of the answers. "
        "1 of 1 judges proved able to replace a rater."
    )
    StudyReport.objects.update(is_made_up=True)
    assert "No study with real votes yet" in shown(client, reverse("studies"))


def test_few_labels_are_said_to_be_too_few(spelled, votes, client):
    file = rate(spelled, {n: votes[n] for n in range(1, 11)}, names=("eve", "fay", "gus"))
    score_finished_runs()
    refresh_reports()
    (part,) = document(client, file)["parts"]
    assert part["people"]["alpha"]["low"] is None
    assert part["judges"][0]["replacing"]["answer"] == "not enough labels"
    assert part["judges"][0]["replacing"]["missing"] == 60
    shown = client.get(reverse("study", args=[file.pk])).text
    too_few = "There are too few ratings to say whether it could replace a rater."
    for said in ("not enough labels", "60 missing", "20 more needed", too_few):
        assert said in shown


def test_a_person_and_a_judge_with_one_answer_to_everything_are_told_no_kappa(
    spelled, votes, client
):
    """Of a judge that calls every answer right, and a person who does."""
    right = submit(
        spelled.release, spelled.owner, b"".join(b"%d=word%d\n" % (n, n) for n in ITEMS), "Perfect"
    )
    judged(right)
    file = rate(right, {n: [1, *said[1:]] for n, said in votes.items()})
    score_finished_runs()
    refresh_reports()
    (part,) = document(client, file)["parts"]
    assert [one["kappa"]["value"] is None for one in part["pairs"]] == [True, True, False]
    kappa = part["judges"][0]["whole"]["kappa"]
    assert (kappa["value"], kappa["low"], kappa["items_missing"]) == (None, None, 0)
    shown = client.get(reverse("study", args=[file.pk])).text
    assert "one rating for everything, indistinguishable from chance" in shown
    assert "left out: 2 pairs with somebody who gives one rating for everything" in shown
    rows = table(client, file)
    found = [(r["value"], r["low"]) for r in rows if (r["scope"], r["measure"]) == ("all", "kappa")]
    assert found == [("", "")]


def test_a_report_is_made_anew_where_verdicts_changed_and_only_there(study, spelled):
    assert refresh_reports() == 0
    sheet = spelled.scoresheets.get()
    sheet.computed += timedelta(days=1)
    sheet.save(update_fields=["computed"])
    assert refresh_reports() == 1
    assert refresh_reports() == 0


def test_a_withdrawn_file_is_no_study(study, client):
    withdraw_ratings(file=study, reason="wrong")
    assert client.get(reverse("study", args=[study.pk])).status_code == 404
    assert str(study.pk) not in client.get(reverse("studies")).text
    refresh_reports()
    assert not StudyReport.objects.exists()


def test_what_is_not_public_any_more_is_not_named_and_a_withdrawn_entry_leaves(
    study, spelled, client
):
    address = reverse("study", args=[study.pk])
    set_visibility(submission=spelled, visibility="private")
    shown = client.get(address).text
    assert "Speller" not in shown
    assert str(spelled.pk) not in shown
    assert str(spelled.pk) not in str(document(client, study))
    refresh_reports()
    assert client.get(address).status_code == 404
    assert StudyAnswer.objects.count() == 0
    set_visibility(submission=spelled, visibility="public")
    refresh_reports()
    assert client.get(address).status_code == 200
    withdraw_submission(submission=spelled)
    refresh_reports()
    assert client.get(address).status_code == 404


def test_private_answers_take_no_part(spelled, client):
    hidden = submit(
        spelled.release, spelled.owner, b"".join(b"%d=x\n" % n for n in ITEMS), "Hidden"
    )
    set_visibility(submission=hidden, visibility="private")
    judged(hidden)
    lines = [f"{hidden.pk},{n},ann,incorrect" for n in ITEMS]
    lines += [f"{spelled.pk},{n},eve,correct" for n in ITEMS]
    lines += [f"{spelled.pk},{n},fay,correct" for n in ITEMS]
    file = imported(upload(*lines, header=LABELLED)).file
    refresh_reports()
    found = document(client, file)
    assert (found["parts"][0]["items"], found["parts"][0]["raters"]) == (60, 2)
    assert str(hidden.pk) not in str(found)


def test_one_person_alone_is_no_study(study, spelled, client):
    withdraw_ratings(file=study, reason="wrong")
    file = rate(spelled, {n: [1, None, None] for n in ITEMS})
    refresh_reports()
    assert client.get(reverse("study", args=[file.pk])).status_code == 404
    assert "No studies published yet" in client.get(reverse("studies")).text


def test_where_no_study_is_published_the_page_leads_on(study, client):
    withdraw_ratings(file=study, reason="wrong")
    onward = "What a study is, and what its report says"
    assert links(page_at(client, reverse("studies")))[onward] == "/guides/human_labels/"
    client.force_login(User.objects.create_superuser("root"))
    guide = links(page_at(client, reverse("studies")))["how to run a study"]
    assert guide == "/admin/guides/studies/"


def test_a_judge_that_there_is_not_is_the_first_and_pages_ask_little(
    study, client, django_assert_max_num_queries
):
    address = reverse("study", args=[study.pk])
    for asked in ("nobody", "%00", "x" * 5_000, "&judge=a&judge=b"):
        assert client.get(f"{address}?judge={asked}").status_code == 200
    with django_assert_max_num_queries(14):
        client.get(address)
    with django_assert_max_num_queries(10):
        client.get(reverse("studies"))


def test_a_crowd_is_counted_and_few_are_told_one_by_one(spelled, votes, client, monkeypatch):
    """Each third vote is by somebody else: figures of all are those of all votes."""
    monkeypatch.setattr(labels, "MOST_RATERS", 2)
    lines = [
        f"{spelled.pk},{n},{name if place < 2 else f'{name} {n}'},{WORD[vote]}"
        for n, said in votes.items()
        for place, (name, vote) in enumerate(zip(("eve", "fay", "gus"), said, strict=True))
    ]
    file = imported(upload(*lines, header=LABELLED)).file
    refresh_reports()
    (part,) = document(client, file)["parts"]
    items = list(votes.values())
    assert (part["raters"], part["votes"], len(part["each"])) == (62, 180, 2)
    assert part["people"]["alpha"]["value"] == plain.near(plain.nominal_alpha(items))
    assert part["each"][1]["like_others"]["value"] == plain.near(plain.rater_like_others(items, 1))
    assert part["judges"][0]["replacing"]["missing"] == 30


def test_every_page_leads_to_the_studies(client, db):
    home = client.get(reverse("home")).text
    assert f'href="{reverse("studies")}"' in home.partition("<footer")[2]
