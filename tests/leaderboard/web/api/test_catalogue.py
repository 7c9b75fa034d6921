"""Benchmarks, judges and models by API, and what every list has in common."""

from base64 import b64encode
from urllib.parse import quote

import pytest

from benchmarks.registry import protocols
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.services import withdraw_submission
from benchmarks.submissions.teams.services import found_team
from judging.services import ensure_spec
from tests.api_clients import API, check_documented, schema, token_client
from tests.conftest import judged, submit

GUESSES = b"1=two\n2=x\n3=y\n4=z\n"


@pytest.fixture
def entry(spelling, owner):
    return judged(submit(spelling, owner)).submission


# --- benchmarks -----------------------------------------------------------------------------------


def test_benchmarks_say_what_they_measure_and_on_which_releases(entry, client):
    listed = client.get(f"{API}/benchmarks/")
    check_documented(listed, "/benchmarks/")
    one = client.get(f"{API}/benchmarks/spelling/")
    check_documented(one, "/benchmarks/{slug}/")
    assert one.json() in listed.json()
    family = protocols()["spelling"].board
    assert one.json()["releases"] == ["spelling-1"]
    assert one.json()["ranking"] == family.BOARD.ranking
    assert [metric["name"] for metric in one.json()["metrics"]] == list(family.METRICS)
    assert client.get(one.json()["links"]["board"]).status_code == 200


# --- judges ---------------------------------------------------------------------------------------


def test_judges_of_public_entries_are_listed_and_others_are_not(entry, owner, spelling, client):
    judge = entry.runs.get().judge_spec
    ensure_spec(of=protocols()["spelling"], kind="openai", endpoint="local", model="scribe")
    listed = client.get(f"{API}/judges/")
    check_documented(listed, "/judges/")
    assert [line["slug"] for line in listed.json()["results"]] == [judge.slug]
    assert client.get(f"{API}/judges/", {"benchmark": "touchstone"}).json()["results"] == []
    withdraw_submission(submission=entry)
    assert client.get(f"{API}/judges/").json()["results"] == []


def test_a_judge_is_told_to_the_last_letter_of_its_prompts(entry, client, settings):
    settings.JUDGE_ENDPOINTS = {"local": {"url": "http://127.0.0.1:9/v1", "key": "SECRET"}}
    family = protocols()["spelling"]
    spec = ensure_spec(of=family, kind="openai", endpoint="local", model="scribe", repeats=3)
    response = client.get(f"{API}/judges/{spec.slug}/")
    check_documented(response, "/judges/{slug}/")
    found = response.json()
    assert found["prompts"] == spec.prompt_set.texts
    assert (found["hash"], found["prompts_hash"]) == (
        spec.content_hash,
        spec.prompt_set.content_hash,
    )
    assert (found["model"], found["repeats"], found["entries"]) == ("scribe", 3, 0)
    assert "SECRET" not in response.content.decode()
    assert "127.0.0.1" not in response.content.decode()


# --- models ---------------------------------------------------------------------------------------


def test_models_with_public_entries_are_listed_newest_first_and_searched(
    entry, owner, spelling, client
):
    judged(submit(spelling, owner, GUESSES, name="Guesser"))
    judged(submit(spelling, owner, GUESSES, name="Hidden", visibility="private"))
    listed = client.get(f"{API}/models/")
    check_documented(listed, "/models/")
    assert [line["name"] for line in listed.json()["results"]] == ["Guesser", "Speller"]
    found = client.get(f"{API}/models/", {"q": "GUESS"}).json()["results"]
    assert [line["name"] for line in found] == ["Guesser"]
    model = client.get(f"{API}/models/speller/")
    check_documented(model, "/models/{slug}/")
    assert model.json()["handed_in_by"] == f"member {owner.pk}"
    assert model.json()["parameters_billions"] is None
    entries = client.get(model.json()["links"]["entries"]).json()["results"]
    assert [line["id"] for line in entries] == [str(entry.pk)]


def test_entries_are_filtered(entry, spelling, owner, client):
    team = found_team(name="The Spellers", by=owner)
    theirs = judged(submit(spelling, owner, GUESSES, name="Theirs", team=team)).submission
    EvaluatedModel.objects.filter(name="Speller").update(organisation="Example Lab")
    asked: tuple[tuple[dict[str, str], list[Submission]], ...] = (
        ({"benchmark": "spelling"}, [theirs, entry]),
        ({"benchmark": "touchstone"}, []),
        ({"release": "spelling-1", "model": "speller"}, [entry]),
        ({"org": "Example Lab"}, [entry]),
        ({"org": "Lab"}, []),
        ({"team": str(team.pk)}, [theirs]),
        ({"team": "2147483647"}, []),
    )
    for query, found in asked:
        response = client.get(f"{API}/entries/", query)
        check_documented(response, "/entries/")
        ids = [line["id"] for line in response.json()["results"]]
        assert ids == [str(one.pk) for one in found], query


REFUSED = (
    ("entries/?benchmark=speling", "There is no benchmark “speling”. There are: "),
    ("entries/?release=spelling-9", "There is no release “spelling-9”; /api/v1/releases/"),
    (
        "entries/?model=speler",
        "no model with a public entry “speler”; /api/v1/models/",
    ),
    ("entries/?team=x", "“x” was sent."),
    ("judges/?benchmark=speling", "There is no benchmark “speling”. There are: "),
    ("boards/spelling/?ranges=both", "“both” is none of: each, together."),
    ("boards/spelling/?ranges=", "“” is none of: each, together."),
    ("boards/spelling/?size=big", "“big” is none of: to-3, "),
    ("boards/spelling/?measure=nonsense", "There is no measure “nonsense”"),
    ("boards/spelling/?limit=many", "“many” was sent."),
    ("boards/spelling/?limit=1&limit=2", "Send it once."),
    ("entries/?cursor=x", "“x” is no page of this list: follow `next`"),
    *(
        (f"entries/?cursor={quote(b64encode(f'p={made_up}'.encode()))}", "is no page of this list")
        for made_up in ("yesterday", "2026-01-01T00:00:00", "9999-12-31T23:59:59-23:00")
    ),
    ("boards/spelling/?release=spelling-9", "“spelling-9”. /api/v1/boards/ lists"),
    ("boards/spelling/?judge=nobody", "“nobody”. /api/v1/boards/ lists"),
    ("boards/spelling/?snapshot=ffff", "no snapshot “ffff”"),
    ("nothing/", "no address “/api/v1/nothing/”"),
    ("entries/00000000-0000-4000-8000-000000000000/", "“00000000-0000-4000-8000-000000000000”"),
    ("submissions/", "Authorization: Bearer YOUR_TOKEN"),
)
OF_ONES_OWN = (
    ("submissions/{other}/", "no submission “{other}” that you may see; /api/v1/submissions/"),
    ("submissions/{own}/publish/", "GET does nothing here; POST does."),
    ("refused-files/{other}/", "no refused file “{other}” of yours now"),
    ("entries/{own}/?judge=nobody", "judged by “nobody” with the id “{own}”"),
)


def test_a_refusal_names_what_was_sent_and_what_there_is(entry, owner, client):
    for address, sentence in REFUSED:
        response = client.get(f"{API}/{address}")
        assert 400 <= response.status_code < 500, address
        assert sentence in response.text
    ids = {"own": entry.pk, "other": "00000000-0000-4000-8000-000000000000"}
    mine = token_client(owner, "publish")
    for address, sentence in OF_ONES_OWN:
        response = mine.get(f"{API}/{address.format(**ids)}")
        assert response.status_code in (404, 405), address
        assert sentence.format(**ids) in response.text


def test_a_type_that_is_not_offered_or_not_taken_is_named_and_a_long_one_cut(owner, client):
    for sent, told in (
        (f"application/{'x' * 500}", f"application/{'x' * 47}…"),
        ("image/png",) * 2,
    ):
        offered = client.get(f"{API}/boards/", headers={"Accept": sent})
        assert offered.status_code == 406
        assert offered.json()["detail"].startswith(f"Accept asks for “{told}”")
    assert offered.json()["detail"].endswith("”; this answers with application/json.")
    submitter = token_client(owner, "submit")
    taken = submitter.post(f"{API}/submissions/", "{}", content_type="application/json")
    assert taken.status_code == 415
    sentence = "“application/json” was sent; this takes multipart/form-data."
    assert taken.json()["detail"] == sentence


# --- what is asked for, and what is said of it ----------------------------------------------------

PUBLIC = sorted(
    path.removeprefix(API)
    for path, methods in schema()["paths"].items()
    if {} in methods.get("get", {}).get("security", ())
)


def address(path: str, entry) -> str:
    named = {"judges": entry.runs.get().judge_spec.slug, "models": "speller"}
    named["releases"] = "spelling-1"
    slug = named.get(path.split("/")[1], "spelling")
    return f"{API}{path.format(slug=slug, submission_id=entry.pk)}"


def test_of_every_list_and_document_what_is_wrong_is_named_and_nothing_sent_twice(entry, client):
    """A parameter that there is not, a name that there is not, and what did not change."""
    for path in PUBLIC:
        asked = address(path, entry)
        wrong = client.get(asked, {"visbile": "public"})
        check_documented(wrong, path)
        assert wrong.status_code == 400
        assert list(wrong.json()["errors"]) == ["visbile"]
        assert "There is no such parameter." in wrong.json()["errors"]["visbile"][0]
        if "{slug}" in path:
            missing = client.get(f"{API}{path.format(slug='nowhere')}")
            check_documented(missing, path)
            assert missing.status_code == 404
            assert "“nowhere”; /api/v1/" in missing.json()["detail"]
        if not path.endswith("verdicts/"):  # which are streamed
            first = client.get(asked)
            again = client.get(asked, headers={"If-None-Match": first["ETag"]})
            other = client.get(asked, headers={"If-Match": '"another"'})
            check_documented(again, path)
            check_documented(other, path)
            statuses = (first.status_code, again.status_code, other.status_code)
            assert (statuses, again.content) == ((200, 304, 412), b""), path
