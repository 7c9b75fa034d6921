"""Two to six entries beside each other: what is compared, what is said of it, and what is not."""

import re
import uuid

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.utils.http import urlencode

from benchmarks.models import Benchmark
from benchmarks.registry import protocol
from benchmarks.submissions.models import Submission
from benchmarks.submissions.services import set_visibility, withdraw_submission
from judging.engine.engine import judge_run
from judging.judges.scripted import ScriptedJudge
from judging.services import ensure_spec, plan_run, request_run
from leaderboard.models import Scoresheet
from leaderboard.pages.abilities import scoped_metrics
from leaderboard.pages.compare import ComparePage, compare_page
from leaderboard.pages.compare_choices import compare_choices
from leaderboard.pages.compare_questions import is_plain, print_credit
from leaderboard.selectors import read_board
from leaderboard.services import score_run
from tests.conftest import import_words, judged, submit
from tests.leaderboard.pages.shown_text import shown

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


def answers(right) -> bytes:
    said = {n: f"word{n}" if right(n) else f"other {n % 7}" for n in QUESTIONS}
    return "".join(f"{n}={text}\n" for n, text in said.items()).encode()


@pytest.fixture(scope="module")
def filled(module_rows) -> None:
    owner = User.objects.create_user("rosa", "rosa@example.org", "a long enough password")
    words = import_words(QUESTIONS)
    for name, right in MODELS.items():
        judged(submit(words, owner, answers(right), name=name))
    other = import_words(range(61, 66), slug="others")
    rows = "".join(f"{n}=word{n}\n" for n in range(61, 66)).encode()
    judged(submit(other, owner, rows, name="Elsewhere"))
    judged(submit(other, owner, rows, name="Elsewhere too"))


@pytest.fixture
def entries(filled, db) -> dict[str, Submission]:
    return {s.model.name: s for s in Submission.objects.select_related("model")}


def page_of(*named: object, **query: object) -> ComparePage:
    pairs = [("m", str(getattr(one, "pk", one))) for one in named]
    text = urlencode([*pairs, *((name, str(value)) for name, value in query.items())])
    return compare_page(compare_choices(QueryDict(text)))


def words_of(page: ComparePage) -> dict[tuple[str, str], str]:
    assert page.comparison
    return {(pair.one.name, pair.other.name): pair.words for pair in page.comparison.pairs}


# --- what is compared -----------------------------------------------------------------------------


def test_entries_stand_in_the_order_in_which_they_were_asked_for(entries):
    page = page_of(entries["Poor"], entries["Best"])
    assert [entry.name for entry in page.comparison.entries] == ["Poor", "Best"]
    assert page.problem == ""
    assert page.notes == ()


def test_six_are_compared_and_the_seventh_is_said_to_be_left_out(entries):
    page = page_of(*(entries[name] for name in MODELS))
    assert [entry.name for entry in page.comparison.entries] == list(MODELS)[:6]
    assert len(page.comparison.pairs) == 15
    assert "6 models at most are compared, and 7 were named" in page.notes[0]


def test_a_model_named_by_its_slug_is_its_best_placed_entry(entries):
    later = submit(
        entries["Poor"].release, entries["Poor"].owner, answers(lambda n: n % 30), "Poor"
    )
    judged(later)
    page = page_of("poor", entries["Best"])
    assert [entry.id for entry in page.comparison.entries] == [later.pk, entries["Best"].pk]


def test_the_same_entry_twice_is_one(entries):
    page = page_of(entries["Best"], "best")
    assert page.comparison is None
    assert "one and the same entry" in page.problem
    assert page_of(entries["Best"], entries["Best"]).comparison is None


def test_entries_of_different_releases_are_never_compared(entries):
    page = page_of(entries["Best"], entries["Elsewhere"])
    assert page.comparison is None
    assert "cannot be compared" in page.problem
    assert [(offer.models, offer.url) for offer in page.offers] == [
        (("Best",), ""),
        (("Elsewhere",), ""),
    ]
    assert page.pickers


def test_where_most_can_be_compared_they_are_and_the_others_are_named_with_a_link(entries):
    page = page_of(*(entries[n] for n in ("Elsewhere", "Best", "Good", "Elsewhere too", "Fair")))
    assert [entry.name for entry in page.comparison.entries] == ["Best", "Good", "Fair"]
    assert page.left_out == ("Elsewhere", "Elsewhere too")
    there = next(offer for offer in page.offers if not offer.is_current)
    assert there.models == ("Elsewhere", "Elsewhere too")
    query = QueryDict(there.url.partition("?")[2])
    assert [e.name for e in compare_page(compare_choices(query)).comparison.entries] == [
        "Elsewhere",
        "Elsewhere too",
    ]


def test_judges_are_never_mixed(entries):
    spec = ensure_spec(of=protocol("spelling"), kind="scripted")
    for name in ("Best", "Good"):
        run = request_run(submission=entries[name], spec=spec)
        plan_run(run_id=run.pk)
        judge_run(run_id=run.pk, judge=ScriptedJudge(["wrong"]))
        score_run(run=run)
    by_rules = page_of(*(entries[name] for name in ("Best", "Good", "Poor")))
    assert by_rules.comparison.judge.is_offline
    assert len(by_rules.comparison.entries) == 3
    by_model = page_of(*(entries[n] for n in ("Best", "Good", "Poor")), judge=spec.slug)
    assert [entry.name for entry in by_model.comparison.entries] == ["Best", "Good"]
    assert by_model.left_out == ("Poor",)


@pytest.mark.parametrize("hide", ["private", "withdrawn"])
def test_what_is_not_public_is_unknown(entries, hide):
    if hide == "private":
        set_visibility(submission=entries["Good"], visibility="private")
    else:
        withdraw_submission(submission=entries["Good"])
    page = page_of(entries["Best"], entries["Good"], entries["Poor"])
    assert [entry.name for entry in page.comparison.entries] == ["Best", "Poor"]
    assert f"“{entries['Good'].pk}”" in page.notes[0]
    assert "Good" not in [line.model for picker in page.pickers for line in picker.lines]
    assert page_of("good", entries["Best"]).comparison is None


# --- what is said of it ---------------------------------------------------------------------------


def test_two_are_told_apart_in_the_words_of_the_boards(entries):
    words = words_of(page_of(entries["Best"], entries["Poor"]))["Best", "Poor"]
    assert words.startswith("ahead by 61.67 points, between ")
    assert words.endswith(" ahead; told apart")


def test_the_other_way_round_it_is_behind_by_as_much(entries):
    there = words_of(page_of(entries["Best"], entries["Fair"]))["Best", "Fair"]
    back = words_of(page_of(entries["Fair"], entries["Best"]))["Fair", "Best"]
    assert back == there.replace("ahead", "behind")


def test_two_alone_have_the_interval_of_the_board_of_two(entries):
    """As the board of a release with just these two has it."""
    for name in set(entries) - {"Elsewhere", "Elsewhere too"}:
        set_visibility(submission=entries[name], visibility="private")
    board = read_board(Benchmark.objects.get(slug="spelling"), release="others")
    first, second = board.entries
    words = words_of(page_of(first.id, second.id))
    assert list(words.values()) == ["level, for the two files hold the same answers"]


def test_more_models_make_each_interval_wider(entries):
    def width(page: ComparePage) -> float:
        found = re.findall(r"[\d.]+", words_of(page)["Best", "Poor"])
        return float(found[2]) - float(found[1])

    two = page_of(entries["Best"], entries["Poor"])
    many = page_of(*(entries[name] for name in ("Best", "Poor", "Fair", "Fine", "Weak", "Good")))
    assert width(many) > width(two)


def test_equal_answers_are_said_to_be_equal(entries):
    words = words_of(page_of(entries["Best"], entries["Best again"], entries["Poor"]))
    assert words["Best", "Best again"] == "level, for the two files hold the same answers"
    assert "told apart" in words["Best again", "Poor"]


def test_models_of_one_name_are_told_by_who_handed_them_in(entries, stranger):
    judged(submit(entries["Best"].release, stranger, answers(lambda n: n % 4), name="Best"))
    theirs = Submission.objects.get(owner=stranger)
    names = [entry.name for entry in page_of(entries["Best"], theirs).comparison.entries]
    assert len(set(names)) == 2
    assert all(name.startswith("Best (handed in by ") for name in names)


def test_by_ability_all_differences_to_the_first_are_counted(entries):
    page = page_of(entries["Poor"], entries["Best"], entries["Best again"])
    (table,) = page.comparison.abilities
    (row,) = table.rows
    assert [cell.told for cell in row.cells] == ["", "ahead", "ahead"]
    assert row.cells[1].difference == "61.67 ahead"
    assert (table.looked_at, table.told) == (2, 2)


def test_by_ability_two_that_fail_the_same_questions_are_told_apart_by_few_others(entries):
    """Nearly alike: ten of sixty questions more are far within the intervals of both, but nothing
    speaks for the other."""
    release, owner = entries["Best"].release, entries["Best"].owner
    for name, most in (("Fewer", 30), ("More", 40)):
        judged(submit(release, owner, answers(lambda n, most=most: n <= most), name=name))
    page = page_of("fewer", "more")
    (row,) = page.comparison.abilities[0].rows
    assert row.cells[1].told == "ahead"
    assert page.comparison.abilities[0].unpaired == 0
    Scoresheet.objects.filter(submission__model__slug="more").update(ability_moves=None)
    page = page_of("fewer", "more")
    assert page.comparison.abilities[0].rows[0].cells[1].told == ""
    assert page.comparison.abilities[0].unpaired == 1


def test_abilities_of_one_name_are_told_by_their_group():
    titles = [metric.title for metric in scoped_metrics(protocol("hallusionbench").board.BOARD)]
    assert len(set(titles)) == len(titles)
    assert {"Visual Dependent: OCR", "Visual Supplement: OCR", "Math"} <= set(titles)


def test_radars_are_drawn_once_for_the_same_axes(entries):
    page = page_of(entries["Poor"], entries["Best"])
    assert [chart.slug for chart in page.comparison.charts] == ["spider"]
    assert "series-2" in page.comparison.charts[0].svg


# --- the page -------------------------------------------------------------------------------------


def test_without_models_it_explains_and_lets_tick_some(client, entries):
    text = shown(client, "/compare/")
    assert "A comparison needs two models or more" in text
    assert "Weak" in text
    markup = client.get("/compare/").content.decode()
    assert f'name="m" value="{entries["Weak"].pk}"' in markup
    assert '<form class="picker" method="get" action="/compare/">' in markup


def test_what_the_form_sends_is_a_comparison(client, entries):
    era = page_of(entries["Best"], entries["Poor"]).pickers[0]
    query = {"m": [entries["Best"].pk, entries["Poor"].pk], "release": era.release}
    text = shown(client, f"/compare/?{urlencode({**query, 'judge': era.judge}, doseq=True)}")
    assert "2 models compared" in text
    assert re.search("Best against +Poor: ahead by 61.67 points", text)


@pytest.mark.parametrize(
    "query",
    [
        "m=",
        "m=%00&m=x",
        "m=" + "a" * 5000,
        "&".join(["m=nobody"] * 500),
        "&".join(f"m={uuid.UUID(int=n)}" for n in range(500)),
        "m=x&m=y&release=%00&judge=%ff&benchmark=" + "z" * 3000,
        "m=x&page=-1&won=9&lost=9",
        "m=x&page=99999999999&won=%C2%B2&lost=",
        "won=1&lost=1&page=1&page=2",
        "m=<script>alert(1)</script>",
    ],
)
def test_odd_addresses_are_answered(client, entries, query):
    answer = client.get(f"/compare/?{query}")
    assert answer.status_code == 200
    assert b"<script>alert" not in answer.content


@pytest.mark.parametrize(
    "query", ["release=nowhere", "judge=%00", "page=x&won=7&lost=0", "benchmark=" + "b" * 999]
)
def test_odd_choices_beside_good_models_are_left_out_with_a_note(client, entries, query):
    address = f"/compare/?m={entries['Best'].pk}&m={entries['Poor'].pk}&{query}"
    assert "ahead by 61.67 points" in shown(client, address)


def test_an_unknown_release_is_said(entries):
    page = page_of(entries["Best"], entries["Poor"], release="nowhere")
    assert page.comparison
    assert "None of these has an entry with release “nowhere”" in page.notes[0]


def test_names_of_a_hundred_letters_are_shown_whole(client, entries):
    name = "Ẅ" * 50 + "-" + "w" * 49
    judged(submit(entries["Best"].release, entries["Best"].owner, answers(lambda n: n % 9), name))
    theirs = Submission.objects.get(model__name=name)
    assert name in shown(client, f"/compare/?m={theirs.pk}&m={entries['Best'].pk}")


def test_a_comparison_of_six_asks_as_often_as_one_of_two(
    client, entries, django_assert_max_num_queries
):
    two = "&".join(f"m={entries[name].pk}" for name in list(MODELS)[:2])
    six = "&".join(f"m={entries[name].pk}" for name in list(MODELS)[:6])
    client.get(f"/compare/?{two}")
    with django_assert_max_num_queries(60) as asked:
        client.get(f"/compare/?{two}")
    with django_assert_max_num_queries(len(asked)):
        client.get(f"/compare/?{six}")


# --- questions won and lost -----------------------------------------------------------------------


def right(name: str) -> set[int]:
    return {n for n in QUESTIONS if MODELS[name](n)}


def test_questions_are_counted_for_each_two_both_ways(entries):
    names = ("Fair", "Poor", "Weak")
    found = page_of(*(entries[name] for name in names)).comparison.questions
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            assert found.rows[i][j].count == len(right(one) - right(other))
    assert (found.won, found.lost) == (0, 1)
    assert found.compared == 60
    assert found.even == 60 - found.rows[0][1].count - found.rows[1][0].count


def test_the_questions_are_those_that_the_one_wins_and_the_other_loses(entries):
    page = page_of(entries["Fair"], entries["Poor"], entries["Weak"], won=3, lost=2)
    found = page.comparison.questions
    assert (page.comparison.won.name, page.comparison.lost.name) == ("Weak", "Poor")
    numbers = [int(line.public_id) for line in found.lines]
    assert numbers == sorted(right("Weak") - right("Poor"))
    assert {(line.won, line.lost) for line in found.lines} == {("right", "wrong")}


def test_questions_are_listed_in_pages_that_lead_to_each_other(entries):
    two = entries["Best"], entries["Poor"]
    first, second = (page_of(*two, page=n).comparison.questions for n in (1, 2))
    assert (first.total, first.pages, len(first.lines)) == (38, 2, 25)
    assert first.next_url.endswith("page=2#questions")
    assert not {line.id for line in first.lines} & {line.id for line in second.lines}
    query = QueryDict(first.next_url.partition("?")[2].partition("#")[0])
    followed = compare_page(compare_choices(query)).comparison.questions
    assert followed.lines == second.lines
    beyond = page_of(*two, page=99).comparison.questions
    assert beyond.page == 2
    assert "There is no page 99 here, for this list has 2 in all" in beyond.note
    assert not second.note


def test_the_list_of_questions_folds_behind_the_first_few(client, entries):
    address = f"/compare/?m={entries['Best'].pk}&m={entries['Poor'].pk}"
    markup = client.get(address).content.decode()
    seen, fold, folded = markup.partition('<details class="further"')
    assert fold
    assert seen.count('href="/questions/') == 5
    assert "20 more questions of this page" in folded
    assert folded.partition("</details>")[0].count('href="/questions/') == 20
    second = client.get(f"{address}&page=2").content.decode()
    assert '<details class="further" open>' in second  # who asked for it has come to read it
    beyond = client.get(f"{address}&page=99").content.decode()
    assert "There is no page 99 here" in beyond


def test_each_question_leads_to_its_page(client, entries):
    address = f"/compare/?m={entries['Best'].pk}&m={entries['Poor'].pk}"
    line = page_of(entries["Best"], entries["Poor"]).comparison.questions.lines[0]
    assert f'href="/questions/{line.id}/"' in client.get(address).content.decode()
    assert client.get(f"/questions/{line.id}/").status_code == 200


def test_a_pair_that_there_is_not_is_the_first(entries):
    found = page_of(entries["Fair"], entries["Poor"], won=5, lost=6).comparison.questions
    assert (found.won, found.lost) == (0, 1)


def test_equal_answers_win_nothing(entries):
    found = page_of(entries["Best"], entries["Best again"]).comparison.questions
    assert (found.total, found.even, found.lines) == (0, 60, ())


def test_an_entry_scored_before_scores_were_kept_is_said_to_be(client, entries):
    Scoresheet.objects.filter(submission=entries["Poor"]).update(item_scores=None)
    page = page_of(entries["Best"], entries["Poor"], entries["Fair"])
    assert page.comparison.without_scores == ("Poor",)
    assert page.comparison.questions.rows[0][1].count == 0
    assert page.comparison.questions.rows[0][2].count == len(right("Best") - right("Fair"))
    address = f"/compare/?m={entries['Best'].pk}&m={entries['Poor'].pk}"
    assert "is not kept yet" in shown(client, address)


def test_scores_between_right_and_wrong_are_printed_as_numbers():
    scores = np.array([1.0, 0.35, np.nan], dtype=np.float32)
    assert not is_plain(scores)
    assert is_plain(scores[[0, 2]])
    assert [print_credit(scores[1], plain=False), print_credit(scores[0], plain=True)] == [
        "0.35",
        "right",
    ]
