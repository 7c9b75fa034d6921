"""Two to six entries beside each other: what is compared, what is said of it, and what is not."""

import io
import re
import uuid
from typing import Any

import numpy as np
import pytest
from django.utils.http import urlencode

from benchmarks.models import FigureImage, Release
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.engine.engine import judge_run
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.results.services import score_run
from leaderboard.web.pages.boards import compare_picker
from leaderboard.web.pages.boards.abilities import scoped_metrics
from leaderboard.web.pages.boards.compare_questions import is_plain, most_ahead, print_credit
from tests.benchmarks.pictures import picture
from tests.conftest import import_words, judged, make_owner, submit
from tests.judging.scripted import ScriptedJudge
from tests.leaderboard.web.pages.shown_text import cells, links, page_at, part
from tests.person import words

QUESTIONS = range(1, 61)
MODELS = {
    "Best": lambda n: n % 20,
    "Good": lambda n: n % 12,
    "Poor": lambda n: n % 3 == 0,
    "Best again": lambda n: n % 20,
    "Fair": lambda n: n % 2,
    "Fine": lambda n: n % 4,
    "Weak": lambda n: n % 5 == 0,
}
LEVEL = (
    "equal, because the two files contain the same answers, apart from details such as capitals "
    "and punctuation"
)


def answers(right) -> bytes:
    said = {n: f"word{n}" if right(n) else f"other {n % 7}" for n in QUESTIONS}
    return "".join(f"{n}={text}\n" for n, text in said.items()).encode()


@pytest.fixture(scope="module")
def filled(module_rows) -> None:
    owner, release = make_owner(), import_words(QUESTIONS)
    for name, right in MODELS.items():
        judged(submit(release, owner, answers(right), name=name))
    other = import_words(range(61, 66), slug="others")
    rows = "".join(f"{n}=word{n}\n" for n in range(61, 66)).encode()
    for name in ("Elsewhere", "Elsewhere too"):
        judged(submit(other, owner, rows, name=name))


@pytest.fixture
def entries(filled, db) -> dict[str, Submission]:
    found = Submission.objects.select_related("model", "release", "owner")
    return {submission.model.name: submission for submission in found}


def address(*named: object, **query: object) -> str:
    pairs = [("m", str(getattr(one, "pk", one))) for one in named]
    return f"/compare/?{urlencode([*pairs, *((name, str(v)) for name, v in query.items())])}"


@pytest.fixture
def compared(client, entries):
    """The page of the entries of these names, or what else may name one."""

    def read(*names: object, **query: object) -> Any:
        named = (entries.get(str(name), name) for name in names)
        return part(page_at(client, address(*named, **query)))

    return read


def names(page: Any) -> list[str]:
    """Of the models that are compared, in their order; none where nothing is."""
    return [words(a) for a in page.xpath(".//a[starts-with(@href, '/entries/')]")]


def lines(page: Any, name: str) -> list[str]:
    return [words(line) for line in page.xpath(f".//*[@id='{name}']//li")]


def right(name: str) -> set[int]:
    return {n for n in QUESTIONS if MODELS[name](n)}


def another(entries, rule, name: str, owner=None) -> Submission:
    release = entries["Best"].release
    return judged(submit(release, owner or entries["Best"].owner, answers(rule), name)).submission


# --- the page -------------------------------------------------------------------------------------


def test_the_page_has_who_is_compared_by_how_much_they_differ_and_in_which_questions(
    client, entries, compared
):
    asked = [entries[name] for name in ("Best", "Poor", "Best again", "Elsewhere")]
    page = compared(*asked)
    assert names(page) == ["Best", "Poor", "Best again"]
    said = words(page)
    assert "Spelling · Spelling, 60 questions · judged by offline rules" in said
    assert "Not shown, because they have no entry for this release and judge: Elsewhere" in said
    best, poor = "95.00 86.30 to 98.29", "33.33 22.73 to 45.94"
    for name, score in (("Best", best), ("Poor", poor), ("Best again", best)):
        assert f"{name} {score}" in said
    apart = "(+46.80 to +76.54, 95 % for all comparisons at once): clear difference"
    assert lines(page, "differences") == [
        f"Best against Poor: 61.67 points ahead {apart}.",
        f"Best against Best again: {LEVEL}.",
        f"Poor against Best again: 61.67 points behind {apart}.",
    ]
    assert lines(page, "profile") == [
        "Best 95.00",
        "Poor 33.33",
        "Best again 95.00",
        "Median model 62.50",
    ]
    figures = cells(part(page, "profile"))
    assert [row[0] for row in figures] == ["Best", "Poor", "Best again", "Median model"]
    assert [row[1] for row in figures] == ["95.00", "33.33", "95.00", "62.50"]
    parts = [part(page, name) for name in ("differences", "abilities", "questions")]
    assert [row for one in parts for row in cells(one)] == [
        ["Poor", "33.33", "+61.67 +46.80 to +76.54", ""],
        ["Best again", "95.00", "0.00 no interval", ""],
        [
            "Accuracy",
            best,
            f"{poor} −61.67 −74.43 to −44.06",
            f"{best} 0.00, too close to call −6.42 to +6.42",
        ],
        ["Best", "· itself", "38", "0"],
        ["Poor", "1", "· itself", "1"],
        ["Best again", "0", "38", "· itself"],
    ]
    assert "2 differences with an interval; 1 is a clear difference (bold), the rest" in said
    assert "60 questions with a verdict for both models, 21 tied" in said
    won = sorted(right("Best") - right("Poor"))
    keys = dict(entries["Best"].release.questions.values_list("public_id", "pk"))
    found = links(page)
    listed = lines(page, "questions")
    assert listed == [
        f"Spell word {n}. Words · Long · {n} right , Best wrong , Poor" for n in won[:25]
    ]
    assert [found[f"Spell word {n}."] for n in won[:25]] == [
        f"/questions/{keys[str(n)]}/" for n in won[:25]
    ]
    assert found["38"] == f"{address(*asked, won=1, lost=2)}#questions"
    assert found["Next"] == f"{address(*asked, won=1, lost=2, page=2)}#questions"
    assert found["Remove Poor"] == address(asked[0], asked[2])
    assert found["Best again"] == f"/entries/{asked[2].pk}/"
    assert lines(page, "elsewhere") == [
        "Spelling , Spelling, 60 questions, judged by offline rules : Best, Poor, Best again shown"
        " above",
        "Spelling , Spelling, 5 questions, judged by offline rules : Elsewhere",
    ]


def test_without_models_it_explains_and_what_its_form_sends_is_a_comparison(client, entries):
    page = part(page_at(client, "/compare/"))
    assert "A comparison needs two to six models" in words(page)
    (form,) = page.xpath(".//form[.//input[@name='m']]")
    boxes = {words(one.getparent()): one.get("value") for one in form.xpath(".//input[@name='m']")}
    chosen = [pk for label, pk in boxes.items() if label.startswith(("Best 95", "Good 91"))]
    assert chosen == [str(entries[name].pk) for name in ("Best", "Good")]
    kept = [(one.name, one.value) for one in form.xpath(".//input[@type='hidden']")]
    query = urlencode([*kept, *(("m", pk) for pk in chosen)])
    sent = page_at(client, f"{form.get('action')}?{query}")
    assert names(part(sent)) == ["Best", "Good"]
    assert words(sent.xpath("//h1")[0]) == "Best and Good"


def boxes_of(page: Any) -> dict[str, str]:
    """What each box to tick is called, and what it sends."""
    boxes = page.xpath(".//form//input[@type='checkbox' and @name='m']")
    return {words(box.getparent()): box.get("value") for box in boxes}


def test_a_model_that_is_not_listed_is_found_by_a_word_and_compared(
    client, entries, compared, monkeypatch
):
    monkeypatch.setattr(compare_picker, "OFFERED", 1)
    assert list(boxes_of(compared())) == ["Best 95.00 Accuracy"]
    assert "more entries are on the board" in words(compared())
    assert boxes_of(compared(q="WEA")) == {"Weak Spelling": "weak"}
    with_one = compared("Best", q="elsewh")
    assert boxes_of(with_one) == {
        "Elsewhere Spelling": "elsewhere",
        "Elsewhere too Spelling": "elsewhere-too",
    }
    (form,) = with_one.xpath(".//form[@class='picker']")
    sent = [(one.name, one.value) for one in form.xpath(".//input[@type='hidden']")]
    page = part(page_at(client, f"/compare/?{urlencode([*sent, ('m', 'weak'), ('q', 'x')])}"))
    assert names(page) == ["Best", "Weak"]


def test_an_entry_is_found_by_its_id(entries, compared):
    key = str(entries["Good"].pk)
    assert boxes_of(compared(q=key)) == {"Good Spelling": key}


def test_a_search_that_finds_nothing_or_is_too_short_says_so(compared):
    assert "No model name or organisation contains “nobody”" in words(compared(q="nobody"))
    assert "Type at least two letters" in words(compared(q="b"))
    assert boxes_of(compared(q="nobody")) == boxes_of(compared(q="b")) == {}


@pytest.mark.parametrize("hide", ["private", "withdrawn"])
def test_a_search_finds_only_what_is_public(entries, compared, hide):
    if hide == "private":
        set_visibility(submission=entries["Good"], visibility="private")
    else:
        withdraw_submission(submission=entries["Good"])
    assert boxes_of(compared(q="good")) == boxes_of(compared(q=str(entries["Good"].pk))) == {}


def test_what_is_chosen_can_be_removed_and_is_not_offered_again(entries, compared):
    one = compared("Best")
    assert links(one)["× Remove Best"] == "/compare/?#pick"
    assert not any(label.startswith("Best 95") for label in boxes_of(one))
    assert any(label.startswith("Poor 33") for label in boxes_of(one))
    two = compared("Best", "Poor", q="fair")
    found = links(two)
    assert found["× Remove Best"] == f"{address(entries['Poor'], q='fair')}#pick"
    assert found["Add a model"] == "#pick"
    assert list(boxes_of(two)) == ["Fair Spelling"]


def test_entries_of_closed_releases_are_offered_like_those_of_open_ones(entries, compared):
    offered = boxes_of(compared())
    assert offered
    Release.objects.update(state="frozen")
    assert boxes_of(compared()) == offered


def test_entries_of_one_model_are_told_from_each_other_by_their_days(entries, compared):
    another(entries, lambda n: n % 7 == 1, "Poor")
    told = [label for label in boxes_of(compared()) if re.match(r"Poor \(\d{4}-\d\d-\d\d", label)]
    assert len(told) == 2


def test_all_that_share_the_first_place_lead_together(entries, compared):
    another(entries, MODELS["Best"], "Best too")
    three = words(compared("Best", "Best again", Submission.objects.get(model__name="Best too").pk))
    assert "Best, Best again and Best too are equal." in three
    four = [*("Best", "Best again", "Poor"), Submission.objects.get(model__name="Best too").pk]
    assert "Best, Best again and Best too lead these 4 models, equal." in words(compared(*four))


def test_beside_six_models_no_seventh_is_offered(compared):
    page = compared(*list(MODELS)[:6])
    assert "remove one to add another" in words(page)
    assert boxes_of(page) == {}


def test_the_picker_costs_the_same_however_many_models_there_are(
    client, entries, django_assert_max_num_queries
):
    with django_assert_max_num_queries(40) as listing:
        client.get("/compare/")
    with django_assert_max_num_queries(40) as searching:
        client.get("/compare/?q=word")
    for place in range(4):
        another(entries, lambda n, place=place: n % (place + 2), f"Word {place}")
    with django_assert_max_num_queries(len(listing)):
        client.get("/compare/?")
    with django_assert_max_num_queries(len(searching) + 1):  # with their boards
        client.get("/compare/?q=word&")


def test_odd_addresses_are_answered(client, entries, compared):
    good = f"m={entries['Best'].pk}&m={entries['Poor'].pk}"
    for query in (
        "m=%00&m=x",
        "m=" + "a" * 5000,
        "&".join(["m=nobody"] * 500),
        "&".join(f"m={uuid.UUID(int=n)}" for n in range(500)),
        "m=x&page=99999999999&won=%C2%B2&lost=",
        "m=<script>alert(1)</script>",
        "q=<script>alert(1)</script>",
        "q=%00%FF",
        "q=" + "word " * 500,
    ):
        answer = client.get(f"/compare/?{query}")
        assert answer.status_code == 200, query[:40]
        assert b"<script>alert" not in answer.content
    for query in ("judge=%00", "page=x&won=7&lost=0", "benchmark=" + "b" * 999, "release=nowhere"):
        page = part(page_at(client, f"/compare/?{good}&{query}"))
        assert "61.67 points ahead" in words(page), query[:40]
    assert "None of these has an entry with release “nowhere”" in words(page)


def test_names_of_a_hundred_letters_are_shown_whole(entries, compared):
    name = "Ẅ" * 50 + "-" + "w" * 49
    assert names(compared(another(entries, lambda n: n % 9, name), "Best")) == [name, "Best"]


def test_a_comparison_of_six_asks_as_often_as_one_of_two(
    client, entries, django_assert_max_num_queries
):
    two, six = (address(*(entries[name] for name in list(MODELS)[:n])) for n in (2, 6))
    with django_assert_max_num_queries(60) as asked:
        client.get(two)
    with django_assert_max_num_queries(len(asked)):
        client.get(six)


# --- what it opens with ---------------------------------------------------------------------------


def answer(page: Any) -> str:
    return words(part(page, "answer"))


@pytest.mark.parametrize("asked", [("Best", "Poor"), ("Poor", "Best")])
def test_it_opens_with_who_is_ahead_by_how_much_and_how_surely(compared, asked):
    assert answer(compared(*asked)) == (
        "Best is 61.67 points ahead of Poor (+47.94 to +75.40, 95 % interval): clear difference. "
        "It is clearly better at Accuracy."
    )


@pytest.mark.parametrize("asked", [("Poor", "Fine", "Good", "Best"), ("Best", "Good", "Poor")])
def test_of_more_than_two_it_says_who_leads_before_whom(compared, asked):
    said = answer(compared(*asked))
    assert said.startswith(f"Best leads these {len(asked)} models, 3.33 points ahead of Good (−")
    assert ", 95 % for all comparisons at once): " in said
    assert said.endswith("): too close to call.")


def test_a_difference_too_small_to_tell_is_said_to_be(compared):
    said = answer(compared("Good", "Best"))
    assert said.startswith("Best is 3.33 points ahead of Good (−")
    assert said.endswith("): too close to call. No single ability differs clearly.")


def test_equal_answers_and_equal_scores_lead_nobody(entries, compared):
    assert answer(compared("Best", "Best again")).startswith(f"Best and Best again are {LEVEL}.")
    among = compared("Best again", "Poor", "Best")
    assert answer(among) == f"Best again and Best lead these 3 models, {LEVEL}."
    another(entries, lambda n: n % 2 == 0, "Even")
    said = answer(compared("Fair", "even"))
    assert said.startswith("Fair and Even are level (−")


def test_a_model_without_a_score_is_in_no_sentence_and_said_to_have_none(entries, compared):
    Scoresheet.objects.filter(submission=entries["Poor"]).update(ranking=None)
    page = compared("Best", "Poor")
    assert not page.xpath(".//*[@id='answer']")
    assert "Poor has no Accuracy" in words(part(page, "differences"))
    three = compared("Best", "Poor", "Good")
    assert answer(three).startswith("Best is 3.33 points ahead of Good (")
    assert [row[0] for row in cells(part(three, "differences"))] == ["Good"]
    assert "Line: 95 % interval." in words(part(three, "differences"))


def drawn(page: Any) -> list[tuple[float, ...]]:
    """Of each row where its interval begins, nothing lies, its point lies, and its interval
    ends, from the left."""
    found = []
    for strip in page.xpath(".//*[@id='differences']//*[@class='strip-difference']"):
        zero, span = (strip.xpath(f".//*[@class='{name}']/@d")[0] for name in ("zero", "span"))
        left, right = re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", span)[0]
        (point,) = strip.xpath(".//*[name()='circle']/@cx")
        found.append(tuple(map(float, (left, zero[1:].split()[0], point, right))))
    return found


def test_each_difference_to_the_first_is_drawn_with_its_interval_on_one_scale(compared):
    page = compared("Good", "Best", "Poor", "Fine")
    printed = [row[2] for row in cells(part(page, "differences"))]
    assert [row[0] for row in cells(part(page, "differences"))] == ["Best", "Poor", "Fine"]
    figures = [
        [float(one.replace("−", "-")) for one in re.findall(r"[+−]?[\d.]+", line)]
        for line in printed
    ]
    assert [line[0] for line in figures] == [-3.33, 58.33, 16.67]
    rows = drawn(page)
    assert len({zero for _, zero, _, _ in rows}) == 1
    per_point = (rows[1][2] - rows[0][2]) / (figures[1][0] - figures[0][0])
    assert per_point > 1
    for (left, zero, point, right), (ahead, low, high) in zip(rows, figures, strict=True):
        for place, value in ((left, low), (point, ahead), (right, high)):
            assert place == pytest.approx(zero + value * per_point, abs=0.3)


def test_two_are_drawn_by_ability_too_and_the_clear_ones_are_bold(compared):
    page = part(compared("Poor", "Best"), "differences")
    assert [row[:3] for row in cells(page)] == [
        ["All questions", "33.33", "95.00"],
        ["Accuracy", "33.33", "95.00"],
    ]
    assert [words(b) for b in page.xpath(".//table//tbody//b")] == ["−61.67", "−61.67"]
    assert not part(compared("Good", "Best"), "differences").xpath(".//table//tbody//b")
    assert words(page.xpath(".//th[@class='sides']")[0]) == "◂ Best better Poor better ▸"


def is_folded(page: Any, name: str) -> bool:
    return any(fold.get("open") is None for fold in part(page, name).xpath("./ancestor::details"))


def test_all_that_is_not_read_first_is_folded_until_it_is_asked_for(client, entries, compared):
    two = (entries["Best"], entries["Poor"])
    rest = ("abilities", "questions", "pick")
    page = compared(*two)
    assert [is_folded(page, name) for name in rest] == [True, True, True]
    assert is_folded(compared(*two, "elsewhere"), "elsewhere")
    wide = page_at(client, address(*two, won=2, lost=1))
    assert [is_folded(wide, name) for name in rest] == [True, False, True]
    searched = page_at(client, address(*two, q="fair"))
    assert [is_folded(searched, name) for name in rest] == [True, True, False]


# --- the questions that decide it -----------------------------------------------------------------


def cards(page: Any) -> list[str]:
    return [words(card) for card in part(page, "deciding").xpath(".//article")]


def test_the_questions_in_which_they_differ_most_have_both_answers_and_scores(entries, compared):
    page = compared("Fair", "Weak")
    release = entries["Fair"].release
    keys = dict(release.questions.values_list("public_id", "pk"))
    assert cards(page) == [
        f"Fair does better Spell word {n}. right , Fair: “word{n}” wrong , Weak: “other {n}” Words "
        f"· Long · All answers to {n}"
        for n in (1, 3)
    ] + [
        f"Weak does better Spell word {n}. wrong , Fair: “other {n % 7}” right , Weak: “word{n}” "
        f"Words · Long · All answers to {n}"
        for n in (10, 20)
    ]
    judge = entries["Fair"].scoresheets.get().judge_spec.slug
    led = f"/questions/{keys['1']}/?release={release.slug}&judge={judge}"
    assert links(page)["All answers to 1"] == led
    other_way = compared("Fair", "Weak", "Best", won=3, lost=2)
    assert "Best and Weak differ most" in words(part(other_way, "deciding"))
    assert all("Fair" not in card for card in cards(other_way))


def test_what_they_differ_in_most_comes_before_what_they_differ_in():
    ahead = np.array([0.2, np.nan, 1.0, -1.0, 0.0, 0.2], dtype=np.float32)
    assert most_ahead(ahead) == [2, 0, 5]
    assert most_ahead(-ahead) == [3]


@pytest.mark.parametrize("has_file", [True, False])
def test_a_deciding_question_has_its_picture(client, entries, tmp_path, has_file):
    (tmp_path / "one.png").write_bytes(picture())
    rows = b"1|word 1|word1|one.png\n2|word 2|word2\n"
    images = tmp_path if has_file else None
    release = import_release(
        protocol=protocol("spelling"), stream=io.BytesIO(rows), slug="pictured", images=images
    ).release
    for name, text in (("Seeing", b"1=word1\n2=word2\n"), ("Blind", b"1=x\n2=y\n")):
        judged(submit(release, entries["Best"].owner, text, name=name))
    page = part(page_at(client, address("seeing", "blind")), "deciding")
    assert len(page.xpath(".//article")) == 2
    found = page.xpath(".//article[.//img]")
    assert len(found) == has_file
    for card in found:
        image = FigureImage.objects.get()
        (small,) = card.xpath(".//a/img")
        assert small.get("src") == f"/figures/{image.pk}/small/"
        assert small.getparent().get("href") == f"/figures/{image.pk}/"
        assert small.get("width") == str(image.width)
        assert "word 1." in words(card)


def test_an_answer_made_of_a_hidden_description_is_not_shown(entries, compared):
    Submission.objects.filter(pk=entries["Poor"].pk).update(repeats_hidden_text=True)
    Release.objects.filter(pk=entries["Best"].release.pk).update(disclosure="hidden_references")
    text = words(part(compared("Best", "Poor"), "deciding"))
    assert "“word1”" in text
    assert "Best: “" in text
    assert "Poor: “" not in text
    assert "it is not public" in text


# --- what is compared -----------------------------------------------------------------------------


def test_six_are_compared_and_the_seventh_is_said_to_be_left_out(compared):
    page = compared(*MODELS)
    assert names(page) == list(MODELS)[:6]
    assert len(lines(page, "differences")) == 15
    assert "At most 6 models can be compared; of the 7 named" in words(page)


def test_a_model_named_by_its_slug_is_its_best_placed_entry(entries, compared):
    later = another(entries, lambda n: n % 30, "Poor")
    assert links(compared("poor", "Best"))["Poor"] == f"/entries/{later.pk}/"


def test_the_same_entry_twice_is_one(compared):
    page = compared("Best", "best")
    assert "one and the same entry" in words(page)
    assert names(page) == names(compared("Best", "Best")) == []


def test_entries_of_different_releases_are_never_compared(compared):
    page = compared("Best", "Elsewhere")
    assert names(page) == []
    assert "cannot be compared" in words(page)
    assert [line.rpartition(": ")[2] for line in lines(page, "elsewhere")] == ["Best", "Elsewhere"]
    assert page.xpath(".//form//input[@name='m']")


def test_where_most_can_be_compared_the_others_are_named_with_a_link(client, compared):
    page = compared("Elsewhere", "Best", "Good", "Elsewhere too", "Fair")
    assert names(page) == ["Best", "Good", "Fair"]
    assert "and judge: Elsewhere, Elsewhere too." in words(page)
    (link,) = page.xpath(".//*[@id='elsewhere']//a[starts-with(@href, '/compare/')]/@href")
    assert names(part(page_at(client, link))) == ["Elsewhere", "Elsewhere too"]


def test_judges_are_never_mixed(entries, compared):
    spec = ensure_spec(of=protocol("spelling"), kind="scripted")
    for name in ("Best", "Good"):
        run = request_run(submission=entries[name], spec=spec)
        plan_run(run_id=run.pk)
        judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"]))
        score_run(run=run)
    three = ("Best", "Good", "Poor")
    by_rules, by_model = compared(*three), compared(*three, judge=spec.slug)
    assert (names(by_rules), names(by_model)) == ([*three], ["Best", "Good"])
    assert "judged by offline rules" in words(by_rules)
    assert "and judge: Poor" in words(by_model)


@pytest.mark.parametrize("hide", ["private", "withdrawn"])
def test_what_is_not_public_is_unknown(entries, compared, hide):
    if hide == "private":
        set_visibility(submission=entries["Good"], visibility="private")
    else:
        withdraw_submission(submission=entries["Good"])
    page = compared("Best", "Good", "Poor")
    assert names(page) == ["Best", "Poor"]
    assert f"“{entries['Good'].pk}”" in words(page)
    assert "Good" not in words(page)
    assert names(compared("good", "Best")) == []


def test_of_two_of_which_one_is_not_public_it_says_so_and_offers_others(entries, compared):
    set_visibility(submission=entries["Good"], visibility="private")
    for unknown in (entries["Good"].pk, uuid.UUID(int=7)):
        page = compared("Best", unknown)
        assert f"“{unknown}” was not found or is not public; it is left out." in words(page)
        assert "Only one of the 2 named can be compared. Pick another." in words(page)
        assert "cannot be compared: no two" not in words(page)
        assert any(label.startswith("Poor 33") for label in boxes_of(page))


def test_entries_of_a_hidden_test_are_not_offered_and_the_page_says_why(client, entries, compared):
    (release,) = Release.objects.filter(slug="words")
    board = "/boards/spelling/"
    assert page_at(client, board).xpath("//*[@name='m']")
    Release.objects.filter(pk=release.pk).update(disclosure="hidden_test")
    page = page_at(client, board)
    assert not page.xpath("//*[@name='m']")
    assert not page.xpath("//*[contains(@class, 'choose')]")
    assert "Entries of a hidden test are not compared" in words(page)
    assert "Why there are no intervals" in words(page)
    assert "Light: places that cannot be excluded" not in words(page)
    assert not page.xpath("//*[@class='strip-ranks']")
    key = str(entries["Best"].pk)
    for asked in ((key, "good"), ("best", "good")):
        said = words(compared(*asked))
        for name in ("Best", "Good"):
            assert f"{name} is left out: its results are of a hidden test" in said
        assert "not found" not in said
        assert "None of the 2 named can be compared." in said
    assert words(compared(key, "best", "good")).count("Best is left out") == 1
    assert not {*boxes_of(compared()).values()} & {str(one.pk) for one in entries.values()}
    assert boxes_of(compared(q="good")) == boxes_of(compared(q=key)) == {}
    assert "( hidden tests cannot)" in words(compared(q="good"))
    assert boxes_of(compared(q="elsewhere"))


# --- what is said of it ---------------------------------------------------------------------------


def test_more_models_make_each_interval_wider(compared):
    def width(*names: str) -> float:
        line = lines(compared(*names), "differences")[0]
        (ends,) = re.findall(r"\(\+([\d.]+) to \+([\d.]+), 95 %", line)
        return float(ends[1]) - float(ends[0])

    assert width("Best", "Poor", "Fair", "Fine", "Weak", "Good") > width("Best", "Poor")


def test_models_of_one_name_are_told_by_who_handed_them_in(entries, compared, stranger):
    theirs = another(entries, lambda n: n % 4, "Best", stranger)
    assert names(compared("Best", theirs)) == [
        f"Best (submitted by member {user.pk})" for user in (entries["Best"].owner, stranger)
    ]


def test_by_ability_two_that_fail_the_same_questions_are_told_apart_by_few_others(
    entries, compared
):
    """Nearly alike: ten of sixty questions more are far within the intervals of both, but nothing
    speaks for the other."""
    for name, most in (("Fewer", 30), ("More", 40)):
        another(entries, lambda n, most=most: n <= most, name)

    def by_ability() -> str:
        (row,) = cells(part(compared("fewer", "more"), "abilities"))
        return row[2]

    assert "+16.67 +6.62 to" in by_ability()
    Scoresheet.objects.filter(submission__model__slug="more").update(ability_moves=None)
    assert "+16.67, too close to call" in by_ability()


def test_abilities_of_one_name_are_told_by_their_group():
    titles = [metric.title for metric in scoped_metrics(protocol("hallusionbench").board.BOARD)]
    assert len(set(titles)) == len(titles)
    assert {"Visual Dependent: OCR", "Visual Supplement: OCR", "Math"} <= set(titles)


# --- questions won and lost -----------------------------------------------------------------------


def test_the_questions_are_those_that_the_one_wins_and_the_other_loses(compared):
    three = ("Fair", "Poor", "Weak")
    page = compared(*three, won=3, lost=2)
    assert [row[1:] for row in cells(page)[-3:]] == [
        ["· itself" if one == other else str(len(right(one) - right(other))) for other in three]
        for one in three
    ]
    won = sorted(right("Weak") - right("Poor"))
    assert lines(page, "questions") == [
        f"Spell word {n}. Words · Long · {n} right , Weak wrong , Poor" for n in won
    ]
    none_such = compared("Fair", "Poor", won=5, lost=6)
    assert "Fair wins 20 questions against Poor" in words(none_such)
    equal = compared("Best", "Best again")
    assert "60 tied" in words(equal)
    assert lines(equal, "questions") == []


def test_questions_are_listed_in_pages_that_lead_to_each_other(client, compared):
    second = page_at(client, links(compared("Best", "Poor"))["Next"].partition("#")[0])
    rest = sorted(right("Best") - right("Poor"))[25:]
    assert [line.split()[2] for line in lines(second, "questions")] == [f"{n}." for n in rest]
    assert not is_folded(second, "questions")  # who asked for it reads it
    beyond = compared("Best", "Poor", page=99)
    assert lines(beyond, "questions") == lines(second, "questions")
    assert "This list has no page 99; this is its last, page 2." in words(beyond)


def test_an_entry_scored_before_scores_were_kept_is_said_to_be(entries, compared):
    Scoresheet.objects.filter(submission=entries["Poor"]).update(item_scores=None)
    page = compared("Best", "Poor", "Fair")
    assert "has no scores by question yet" in words(page)
    assert cells(page)[-3][2:] == ["0", str(len(right("Best") - right("Fair")))]


def test_scores_between_right_and_wrong_are_printed_as_numbers():
    scores = np.array([1.0, 0.35, np.nan], dtype=np.float32)
    assert (is_plain(scores), is_plain(scores[[0, 2]])) == (False, True)
    assert print_credit(scores[1], plain=False) == "0.35"
    assert print_credit(scores[0], plain=True) == "right"
