"""Pages of releases, and the files that everybody may have of them."""

import hashlib
import io
import json
import re
import zipfile
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from benchmarks.models import Release, ReleaseArchive
from benchmarks.protocols.base import Terms
from benchmarks.registry import protocol
from benchmarks.services.archives import make_archive
from benchmarks.services.importing import import_release
from leaderboard.models import BoardEdition
from leaderboard.results.boards.editions import refresh_boards
from leaderboard.results.formatting import print_size
from leaderboard.web.pages.releases.release import MOST_FAULTS, MOST_NAMED, release_page
from tests.benchmarks.pictures import picture
from tests.conftest import freeze_release, judged, submit
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part, told
from tests.person import words

PAGE = "/releases/spelling-1/"
FREE = Terms("The makers", "CC-BY-4.0", "https://example.org/by", "https://example.org/words", True)


@pytest.fixture
def illustrated(db, tmp_path) -> Release:
    (tmp_path / "red.png").write_bytes(picture())
    lines = io.BytesIO(b"1|two|two|red.png\n2|colour|colour|red.png\n3|encyclopaedia|long\n")
    release = import_release(
        protocol=protocol("spelling"), stream=lines, images=tmp_path, slug="words", terms=FREE
    ).release
    make_archive(release)
    return release


def text_of(client, address: str) -> str:
    page = client.get(address).content.decode()
    plain = re.sub(r"<(script|style).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", plain).split())


# --- the list -------------------------------------------------------------------------------------


def test_the_list_has_every_release_but_drafts(client, illustrated, spelling):
    said = text_of(client, "/releases/")
    assert "Spelling" in said
    Release.objects.filter(pk=spelling.pk).update(title="Four words", state="retired")
    assert "Four words" in text_of(client, "/releases/")
    Release.objects.create(
        benchmark=spelling.benchmark, slug="next", title="Not yet", question_count=0
    )
    assert "Not yet" not in text_of(client, "/releases/")


def test_the_list_takes_as_many_queries_for_many_releases(
    client, spelling, django_assert_num_queries
):
    with django_assert_num_queries(1):
        client.get("/releases/")


def test_an_empty_site_says_so(client, db):
    assert "There are no releases yet" in text_of(client, "/releases/")
    assert links(part(page_at(client, "/releases/")))["All boards"] == "/#boards"


# --- one ------------------------------------------------------------------------------------------


def test_a_draft_has_no_page_and_no_files(client, spelling):
    Release.objects.create(benchmark=spelling.benchmark, slug="next", question_count=0)
    for file in ("", "archive.zip", "example.py", "croissant.json"):
        assert client.get(f"/releases/next/{file}").status_code == 404


def test_the_page_is_what_is_in_it_what_it_may_be_used_for_and_how_to_hand_in(
    client, illustrated, owner
):
    for name, first in (("A", "two"), ("B", "2")):
        answers = f"1={first}\n2=color\n3=encyclopaedia\n".encode()
        judge = judged(submit(illustrated, owner, answers, name=name)).judge_spec.slug
    refresh_boards()
    page = part(page_at(client, "/releases/words/"))
    release, archive = Release.objects.get(), ReleaseArchive.objects.get()
    facts, (content, (board,)) = told(page), map(cells, page.xpath(".//div[table]"))
    assert words(page).startswith(
        f"Releases · Spelling {release.title} 3 questions about 1 figure, in English. "
        "A figure is the picture (or pictures) shown with a question. Open: it takes"
    )
    assert facts.pop("What is public") == release.disclosure_sentence
    assert facts.pop("Checksum").startswith(f"{release.public_checksum} , a SHA-256 over")
    assert facts == {
        "Made by": "The makers",
        "Licence": "CC-BY-4.0",
        "Source": "https://example.org/words",
        "Open since": f"{timezone.now():%Y-%m-%d}",
    }
    assert content == [["Words", "3", "2"], ["Short", "1", "1"], ["Long", "2", "1"]]
    assert board[:3] == ["offline rules", "2", "2"]
    size, made = print_size(archive.file.size), f"{archive.made:%Y-%m-%d %H:%M} UTC"
    assert f"SHA-256 of the archive: {archive.sha256} , made {made}" in words(page)
    assert links(page) == {
        "Releases": "/releases/",
        "Spelling": "/boards/spelling/",
        "How to submit": "#hand-in",
        f"Questions and pictures ZIP, {size}": "/releases/words/archive.zip",
        "Template CSV": "/releases/words/template.csv",
        "Example program Python": "/releases/words/example.py",
        "below": "#hand-in",
        "Croissant JSON-LD": "/releases/words/croissant.json",
        "CC-BY-4.0": "https://example.org/by",
        "https://example.org/words": "https://example.org/words",
        "How it is computed": "/method/spelling/#numbers",
        "offline rules": f"/boards/spelling/?release=words&judge={judge}",
        "Submit answers.jsonl": "/submit/",
    }


def test_a_page_says_where_nobody_said_it(client, spelling):
    said = text_of(client, PAGE)
    assert "Licence – not given. Ask the makers of the dataset before you redistribute it." in said
    assert "Source – not given" in said


@pytest.mark.parametrize("source", ["javascript:alert(1)", "a box of papers", "//evil.example"])
def test_a_source_that_is_no_address_is_no_link(client, spelling, source):
    Release.objects.update(source=source)
    assert f'href="{source}' not in client.get(PAGE).content.decode()
    assert source in text_of(client, PAGE)


@pytest.mark.parametrize(
    ("level", "said"),
    [
        ("open", "the verdict on every answer are public."),
        ("hidden_references", "The right answers can be worked out from these verdicts"),
        ("hidden_test", "owners of entries see no more than other people."),
    ],
)
def test_a_page_and_the_api_say_what_is_public(client, spelling, level, said):
    Release.objects.update(disclosure=level)
    assert said in text_of(client, PAGE)
    document = client.get(f"/api/v1/releases/{spelling.slug}/").json()
    assert document["disclosure"] == level
    assert said in document["disclosure_meaning"]


def test_a_frozen_release_takes_nothing_and_says_so(client, spelling):
    assert "Submit answers.jsonl" in text_of(client, PAGE)
    freeze_release(release=spelling)
    said = text_of(client, PAGE)
    assert "Frozen: it takes no submissions now." in said
    assert "Hand in" not in said


# --- faults ---------------------------------------------------------------------------------------


def anomaly(question: int, message: str, *, is_public: bool = True) -> dict[str, object]:
    code = {"code": "odd", "question": str(question), "message": message}
    return {**code, "is_public": is_public}


def test_faults_are_told_once_with_the_questions_they_are_said_of(spelling):
    many = [anomaly(i, "Its picture is cut.") for i in range(MOST_NAMED + 3)]
    Release.objects.update(anomalies=[anomaly(99, "It stands twice."), *many])
    page = release_page(Release.objects.select_related("benchmark").get())
    cut, twice = page["faults"]
    assert (cut["count"], len(cut["named"])) == (MOST_NAMED + 3, MOST_NAMED)
    assert twice["named"] == ["99"]
    assert page["fault_count"] == MOST_NAMED + 4


def test_a_fault_that_tells_a_reference_is_not_told(client, spelling):
    told = anomaly(1, "The label is yes and the reference says cnry.", is_public=False)
    Release.objects.update(anomalies=[told])
    assert "cnry" not in client.get(PAGE).content.decode()
    Release.objects.update(disclosure="open")
    assert "cnry" in client.get(PAGE).content.decode()


def test_however_many_faults_a_page_shows_so_many(client, spelling):
    Release.objects.update(anomalies=[anomaly(i, f"Fault {i}.") for i in range(MOST_FAULTS + 7)])
    page = client.get(PAGE).content.decode()
    assert page.count("<li>\n") < MOST_FAULTS + 20
    assert "And 7 more remarks" in page


# --- boards ---------------------------------------------------------------------------------------


def test_a_page_names_its_boards_with_the_difference_each_can_show(client, spelling, owner):
    assert "No board yet" in text_of(client, PAGE)
    for name, answers in (("A", b"1=two\n2=color\n3=night\n4=sea\n"), ("B", b"1=2\n2=3\n3=4\n4=5")):
        judged(submit(spelling, owner, answers, name=name))
    refresh_boards()
    BoardEdition.objects.update(smallest_each=0.125, each_is_assumed=True)
    said = text_of(client, PAGE)
    assert "offline rules 2" in said
    assert "12.50 points estimated from single entries" in said
    page = client.get(PAGE).content.decode()
    (address,) = re.findall(r'href="(/boards/spelling/\?[^"]+)"', page)
    assert client.get(address.replace("&amp;", "&")).status_code == 200


def test_a_page_takes_as_many_queries_whatever_is_on_its_boards(
    client, spelling, owner, django_assert_max_num_queries
):
    judged(submit(spelling, owner))
    refresh_boards()
    with django_assert_max_num_queries(7):
        assert client.get(PAGE).status_code == 200


# --- files ----------------------------------------------------------------------------------------


def test_the_archive_is_sent_with_its_size_and_hash_and_not_sent_again(client, illustrated):
    reply = client.get("/releases/words/archive.zip")
    content, archive = b"".join(reply.streaming_content), ReleaseArchive.objects.get()
    assert hashlib.sha256(content).hexdigest() == archive.sha256
    assert reply["Content-Length"] == str(len(content))
    assert reply["Content-Disposition"] == 'attachment; filename="words.zip"'
    assert reply["Content-Type"] == "application/zip"
    for headers in (
        {"If-None-Match": reply["ETag"]},
        {"If-Modified-Since": reply["Last-Modified"]},
    ):
        assert client.get("/releases/words/archive.zip", headers=headers).status_code == 304
    Release.objects.update(licence="CC0-1.0")
    make_archive(Release.objects.get())
    changed = client.get("/releases/words/archive.zip", headers={"If-None-Match": reply["ETag"]})
    changed.close()
    assert changed.status_code == 200


def test_a_page_says_that_an_archive_is_not_made_yet(client, spelling):
    assert "is not ready yet" in text_of(client, PAGE)
    assert client.get(f"{PAGE}archive.zip").status_code == 404
    assert client.get(f"{PAGE}croissant.json").status_code == 404


def test_an_archive_that_is_away_is_not_found(client, illustrated):
    default_storage.delete(str(ReleaseArchive.objects.get().file.name))
    assert client.get("/releases/words/archive.zip").status_code == 404


def test_a_page_shows_the_program_that_is_sent_and_in_the_archive(client, illustrated):
    sent = client.get("/releases/words/example.py")
    assert client.head("/releases/words/example.py")["ETag"] == sent["ETag"]
    page = client.get("/releases/words/").content.decode()
    (shown,) = re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S)
    unescaped = shown.replace("&quot;", '"').replace("&gt;", ">").replace("&#x27;", "'")
    assert unescaped.strip() == sent.content.decode().strip()
    with ReleaseArchive.objects.get().file.open("rb") as file, zipfile.ZipFile(file) as archive:
        assert archive.read("example.py") == sent.content


def test_files_of_a_release_are_kept_by_caches_and_make_no_session(client, illustrated):
    for name in ("archive.zip", "example.py", "croissant.json"):
        reply = client.get(f"/releases/words/{name}")
        assert b"".join(reply)
        assert "public" in reply["Cache-Control"]
        assert not reply.cookies


def test_sizes_are_told_in_the_largest_unit():
    told = {
        0: "0 B",
        999: "999 B",
        12_400: "12.4 kB",
        3_100_000: "3.1 MB",
        2 * 10**9: "2.0 GB",
    }
    assert {size: print_size(size) for size in told} == told


# --- for machines ---------------------------------------------------------------------------------


def croissant(client, slug: str = "words") -> dict[str, Any]:
    reply = client.get(f"/releases/{slug}/croissant.json")
    assert reply["Content-Type"].startswith("application/ld+json")
    return dict(json.loads(reply.content))


REQUIRED = {
    "@context",
    "@type",
    "conformsTo",
    "name",
    "description",
    "license",
    "url",
    "creator",
    "datePublished",
    "distribution",
}
"""Of a data set by the specification of Croissant 1.0, section "Dataset-level information"."""


def test_a_data_set_has_what_croissant_requires(client, illustrated):
    document = croissant(client)
    assert {*document} >= REQUIRED
    assert document["@context"]["cr"] == "http://mlcommons.org/croissant/"
    assert document["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert (document["license"], document["creator"]["name"]) == (FREE.licence_url, FREE.creator)
    assert document["url"] == "http://testserver/releases/words/"
    named = timezone.now().date().fromisoformat(document["datePublished"])
    assert named == illustrated.opened.date()


def test_every_file_of_a_data_set_is_what_it_says(client, illustrated):
    whole, lines, pictures = croissant(client)["distribution"]
    reply = client.get(whole["contentUrl"].removeprefix("http://testserver"))
    content = b"".join(reply.streaming_content)
    assert whole["sha256"] == hashlib.sha256(content).hexdigest()
    assert whole["contentSize"] == f"{len(content)} B"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inner = archive.read(lines["contentUrl"])
        shown = [name for name in archive.namelist() if name.startswith("pictures/")]
    assert lines["sha256"] == hashlib.sha256(inner).hexdigest()
    assert lines["containedIn"] == pictures["containedIn"] == {"@id": whole["@id"]}
    assert (pictures["@type"], pictures["includes"], len(shown)) == ("cr:FileSet", "pictures/*", 1)


def test_every_field_of_a_record_is_one_of_the_lines(client, illustrated):
    document = croissant(client)
    ids = [part["@id"] for part in (*document["distribution"], *document["recordSet"])]
    questions, figures = document["recordSet"]
    with ReleaseArchive.objects.get().file.open("rb") as file, zipfile.ZipFile(file) as archive:
        line = json.loads(archive.read("questions.jsonl").splitlines()[0])
    for field in questions["field"]:
        assert field["source"]["fileObject"]["@id"] == "questions.jsonl"
        value = line[field["source"]["extract"]["column"]]
        assert isinstance(value, list if field.get("repeated") else str)
    fields = [field["@id"] for record in (questions, figures) for field in record["field"]]
    assert len({*ids, *fields}) == len(ids) + len(fields), "each is named once"
    assert questions["key"]["@id"] in fields


def test_a_data_set_without_pictures_has_no_set_of_them(client, spelling):
    make_archive(spelling)
    document = croissant(client, "spelling-1")
    assert [part["@id"] for part in document["distribution"]] == [
        "spelling-1.zip",
        "questions.jsonl",
    ]
    assert [record["@id"] for record in document["recordSet"]] == ["questions"]
    assert document["license"] == "not stated"


def test_a_page_holds_the_same_for_machines_and_no_text_ends_it(client, illustrated):
    Release.objects.update(title="</script><script>alert(1)</script> & words")
    page = client.get("/releases/words/").content.decode()
    (held,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)
    assert json.loads(held) == croissant(client)
    assert "<script>alert" not in page
