"""What a study tells, from ratings to the page: every coefficient of sixty answers by three people,
who err in 5, 10 and 25 %, is that of a computation written plainly."""

import csv
import io
import random
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.panel.models import RatingFile
from judging.panel.services import withdraw_ratings
from leaderboard.models import StudyAnswer, StudyReport
from leaderboard.services import score_finished_runs
from leaderboard.studies import labels
from leaderboard.studies.stored import refresh_reports
from tests.conftest import import_words, judged, submit
from tests.judging.panel.files import LABELLED, imported, upload
from tests.leaderboard.studies import plain

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


@pytest.fixture
def words(db):
    return import_words(ITEMS)


@pytest.fixture
def spelled(words, owner):
    """A public entry with every third word wrong, judged by the offline rules."""
    text = "".join(f"{n}={'other' if n % 3 == 0 else f'word{n}'}\n" for n in ITEMS)
    submission = submit(words, owner, text.encode(), "Speller")
    judged(submission)
    return submission


@pytest.fixture
def votes():
    rng = random.Random(14)
    return {n: people_say(rng, int(n % 3 != 0)) for n in ITEMS}


@pytest.fixture
def study(spelled, votes):
    file = rate(spelled, votes)
    score_finished_runs()
    assert refresh_reports() == 1
    return file


def document(client, file):
    return client.get(reverse("study-file", args=[file.pk, "json"])).json()


def test_every_figure_is_that_of_a_plain_computation(study, votes, client):
    (part,) = document(client, study)["parts"]
    plain.assert_figures(part, list(votes.values()), [int(n % 3 != 0) for n in ITEMS])
    assert part["people"]["alpha"]["low"] < part["people"]["alpha"]["value"]
    assert part["judges"][0]["replacing"]["answer"] == "yes"


def test_every_ability_and_model_is_a_study_of_its_own(study, votes, spelled, client):
    (part,) = document(client, study)["parts"]
    items = list(votes.values())
    assert part["models"][str(spelled.pk)]["alpha"]["value"] == plain.near(
        plain.nominal_alpha(items)
    )
    (judge,) = part["judges"]
    assert judge["models"][str(spelled.pk)]["people"]["value"] == plain.near(
        plain.like_majority(items)
    )
    assert sum(one["pairs"]["items"] for one in part["abilities"].values()) == 60


def test_what_is_printed_is_what_was_computed(study, votes, client):
    items = list(votes.values())
    shown = str(client.get(reverse("study", args=[study.pk])).content, "utf-8")
    for figure in (f"{100 * plain.like_majority(items):.1f} %", f"{plain.fleiss(items):.2f}"):
        assert f"<b>{figure}</b>" in shown
    assert "<b>yes</b>" in shown
    assert all(name not in shown for name in ("annabel", "bobbie", "cyril"))
    assert "rater 1" in shown


def test_the_table_has_a_row_per_figure(study, votes, client):
    response = client.get(reverse("study-file", args=[study.pk, "csv"]))
    rows = list(csv.DictReader(io.StringIO(response.content.decode())))
    (alpha,) = (r for r in rows if (r["scope"], r["measure"]) == ("all", "alpha"))
    assert float(alpha["value"]) == plain.near(plain.nominal_alpha(list(votes.values())))
    assert {r["scope"] for r in rows} == {"all", "abilities", "models", "raters", "pairs"}


def test_the_judges_card_says_whether_it_may_stand_in(study, spelled, client):
    answer = StudyAnswer.objects.get()
    assert (answer.answer, answer.missing) == ("yes", 0)
    shown = str(client.get(reverse("judge", args=[answer.judge_spec.slug])).content, "utf-8")
    assert reverse("study", args=[study.pk]) in shown
    assert re.search(r"May it stand in for a person\?", shown)


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
        table = client.get(reverse("study-file", args=[file.pk, "csv"])).content.decode()
        assert {r["study"] for r in csv.DictReader(io.StringIO(table))} == {str(file.pk)[:8]}


def test_the_api_lists_studies(study, votes, client):
    (found,) = client.get(reverse("api-studies")).json()["results"]
    (judge,) = found["judges"]
    assert (found["id"], judge["answer"], judge["labels_missing"]) == (str(study.pk), "yes", 0)
    assert judge["people_agreement"] == plain.near(plain.like_majority(list(votes.values())))
    assert client.get(found["links"]["figures"]).json()["id"] == str(study.pk)


def test_few_labels_are_said_to_be_too_few(spelled, votes, client):
    file = rate(spelled, {n: votes[n] for n in range(1, 11)})
    score_finished_runs()
    refresh_reports()
    (part,) = document(client, file)["parts"]
    assert part["people"]["alpha"]["low"] is None
    assert part["judges"][0]["replacing"]["answer"] == "not enough labels"
    assert part["judges"][0]["replacing"]["missing"] == 60
    shown = str(client.get(reverse("study", args=[file.pk])).content, "utf-8")
    assert "not enough labels" in shown
    assert "60 missing" in shown
    assert "20 more needed" in shown


def test_an_unchanged_study_is_not_computed_again(study):
    assert refresh_reports() == 0


def test_a_person_and_a_judge_with_one_answer_to_everything_are_told_no_kappa(
    words, owner, votes, client
):
    """Of a judge that calls every answer right, and a person who does."""
    right = submit(words, owner, b"".join(b"%d=word%d\n" % (n, n) for n in ITEMS), "Perfect")
    judged(right)
    file = rate(right, {n: [1, *said[1:]] for n, said in votes.items()})
    score_finished_runs()
    refresh_reports()
    (part,) = document(client, file)["parts"]
    assert [one["kappa"]["value"] is None for one in part["pairs"]] == [True, True, False]
    kappa = part["judges"][0]["whole"]["kappa"]
    assert (kappa["value"], kappa["low"], kappa["items_missing"]) == (None, None, 0)
    shown = client.get(reverse("study", args=[file.pk])).text
    assert "one answer to everything, which cannot be told from chance" in shown
    assert "left out: 2 pairs with somebody who gives one answer to everything" in shown
    rows = csv.DictReader(
        io.StringIO(client.get(reverse("study-file", args=[file.pk, "csv"])).content.decode())
    )
    found = [(r["value"], r["low"]) for r in rows if (r["scope"], r["measure"]) == ("all", "kappa")]
    assert found == [("", "")]


def test_another_judges_verdicts_make_it_anew(study, spelled):
    sheet = spelled.scoresheets.get()
    sheet.computed += timedelta(days=1)
    sheet.save(update_fields=["computed"])
    assert refresh_reports() == 1
    assert refresh_reports() == 0


def test_a_withdrawn_file_is_no_study(study, client):
    withdraw_ratings(file=study, reason="wrong")
    assert client.get(reverse("study", args=[study.pk])).status_code == 404
    assert str(study.pk) not in str(client.get(reverse("studies")).content)
    refresh_reports()
    assert not StudyReport.objects.exists()


def test_what_is_not_public_any_more_is_not_named(study, spelled, client):
    set_visibility(submission=spelled, visibility="private")
    shown = str(client.get(reverse("study", args=[study.pk])).content, "utf-8")
    assert "Speller" not in shown
    assert str(spelled.pk) not in shown
    assert str(spelled.pk) not in str(document(client, study))
    refresh_reports()
    assert client.get(reverse("study", args=[study.pk])).status_code == 404
    assert StudyAnswer.objects.count() == 0


def test_private_answers_take_no_part(study, spelled, words, owner, votes, client):
    hidden = submit(words, owner, b"".join(b"%d=x\n" % n for n in ITEMS), "Hidden")
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


def test_one_person_alone_is_no_study(spelled, client):
    file = rate(spelled, {n: [1, None, None] for n in ITEMS})
    refresh_reports()
    assert client.get(reverse("study", args=[file.pk])).status_code == 404
    assert "There is no study yet" in str(client.get(reverse("studies")).content)


@pytest.mark.parametrize("asked", ["nobody", "%00", "x" * 5_000, "&judge=a&judge=b"])
def test_a_judge_that_there_is_not_is_the_first(study, client, asked):
    assert client.get(f"{reverse('study', args=[study.pk])}?judge={asked}").status_code == 200


def test_pages_ask_the_same_whatever_there_is(study, client, django_assert_max_num_queries):
    with django_assert_max_num_queries(14):
        client.get(reverse("study", args=[study.pk]))
    with django_assert_max_num_queries(10):
        client.get(reverse("studies"))
    assert RatingFile.objects.count() == 1


def test_a_crowd_is_counted_and_few_are_told_one_by_one(spelled, votes, client, monkeypatch):
    """Each third vote is by somebody else: figures of all are those of all votes."""
    monkeypatch.setattr(labels, "MOST_RATERS", 2)
    lines = [
        f"{spelled.pk},{n},{name if place < 2 else f'{name} {n}'},{WORD[vote]}"
        for n, said in votes.items()
        for place, (name, vote) in enumerate(zip(("annabel", "bobbie", "c"), said, strict=True))
    ]
    file = imported(upload(*lines, header=LABELLED)).file
    refresh_reports()
    (part,) = document(client, file)["parts"]
    items = list(votes.values())
    assert (part["raters"], part["votes"], len(part["each"])) == (62, 180, 2)
    assert part["people"]["alpha"]["value"] == plain.near(plain.nominal_alpha(items))
    assert part["each"][1]["like_others"]["value"] == plain.near(plain.rater_like_others(items, 1))
    assert part["judges"][0]["replacing"]["missing"] == 30


def test_a_withdrawn_entry_leaves(study, spelled, client):
    withdraw_submission(submission=spelled)
    refresh_reports()
    assert client.get(reverse("study", args=[study.pk])).status_code == 404


def test_every_page_leads_to_the_studies(client, db):
    home = client.get(reverse("home")).text
    assert f'href="{reverse("studies")}"' in home.partition("<footer")[2]
