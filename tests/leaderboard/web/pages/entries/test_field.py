"""An entry page says where its entry lies among the others of its board, also before the entry is
public, and which of its answers to read first."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from benchmarks.submissions.models import Submission
from leaderboard.results.boards.editions import store_boards
from tests.conftest import import_words, judged, submit
from tests.leaderboard.web.pages.shown_text import page_at, part, shown
from tests.person import words

QUESTIONS = 12
NOTE = "which never look at a picture"


@pytest.fixture
def release(db):
    return import_words(range(QUESTIONS))


def enter(release, owner, name: str, right: int, **more) -> Submission:
    answers = "".join(f"{n}={'' if n < right else 'no'}word{n}\n" for n in range(QUESTIONS))
    made: Submission = judged(
        submit(release, owner, answers.encode(), name=name, **more)
    ).submission
    return made


def field(page) -> list[str]:
    """Rank and model of each row of the figure, from above."""
    rows = page.xpath("//*[contains(@class, 'forest wide')]//*[contains(@class, 'judged')]")
    kinds = ("place", "name")
    return [words(row.xpath(f".//*[@class='{kind}']")[0]) for row in rows for kind in kinds]


@pytest.mark.parametrize("is_stored", [False, True])
def test_the_owner_sees_where_an_unpublished_entry_would_be(
    release, owner, stranger, client, is_stored
):
    for right in (12, 9, 5, 2):
        enter(release, owner, f"Model {right}", right)
    enter(release, None, "Floor", 4, origin="baseline")
    hidden = enter(release, stranger, "Secret of another", 11, visibility="private")
    own = enter(release, owner, "Mine", 7, visibility="private")
    if is_stored:
        store_boards("spelling")
    address = f"/entries/{own.pk}/"
    client.force_login(owner)
    page = page_at(client, address)
    placed = "If published, its score would place it 3rd of 5 on the current board."
    assert words(part(page, "lead")) == placed
    order = [name for name in field(page) if name.startswith("M")]
    assert order == ["Model 12", "Model 9", "Mine", "Model 5", "Model 2"]
    assert hidden.model.name not in words(page)
    client.force_login(stranger)
    assert client.get(address).status_code == 404
    client.logout()
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("right", "says"),
    [
        (6, ""),
        (4, "Its score is within the range of the baselines"),
        (1, "Its score is below the range of the baselines"),
    ],
)
@pytest.mark.parametrize("visibility", ["public", "private"])
def test_a_score_no_better_than_the_baselines_is_said_to_be(
    release, owner, client, right, says, visibility
):
    enter(release, owner, "Best", 11)
    for name, floor in (("Floor 1", 3), ("Floor 2", 5)):
        enter(release, None, name, floor, origin="baseline")
    entry = enter(release, owner, "Mine", right, visibility=visibility)
    client.force_login(owner)
    lead = words(part(page_at(client, f"/entries/{entry.pk}/"), "lead"))
    assert (f"{says}, {NOTE} (25.00 to 41.67)." in lead) if says else NOTE not in lead


def test_an_unpublished_entry_of_an_empty_board_is_placed_nowhere(release, owner, client):
    entry = enter(release, owner, "Mine", 7, visibility="private")
    client.force_login(owner)
    page = page_at(client, f"/entries/{entry.pk}/")
    assert words(part(page, "score")).startswith("58.33 %, 31.95 to 80.67")
    assert not page.xpath("//*[@id='lead']")


def test_the_figure_has_the_leader_the_closest_and_the_entry_itself(release, owner, client):
    entries = [enter(release, owner, f"Model {right}", right) for right in range(11, 0, -1)]
    page = page_at(client, f"/entries/{entries[6].pk}/")
    names = [name for name in field(page) if name.startswith("Model")]
    assert names == ["Model 11", "Model 7", "Model 6", "Model 5", "Model 4", "Model 3"]
    own = page.xpath("//*[contains(@class, 'judged own')]//*[@class='name']")
    assert {words(name) for name in own} == {"Model 5"}
    assert words(part(page, "lead")).startswith(
        "Could rank 1st to 11th of 11 (95 %): no clear difference from any other. "
        "Against Model 11, the leader: 50.00 "
        "points behind ("
    )


def test_the_profile_has_the_leader_and_the_median_model_as_a_line(release, owner, client):
    entries = [enter(release, owner, f"Model {right}", right) for right in (10, 8, 6, 4)]
    address = f"/entries/{entries[-1].pk}/"

    def drawn() -> tuple[list[str], list[str]]:
        profile = part(page_at(client, address), "profile")
        legend = [words(line) for line in profile.xpath(".//ul[@class='series']/li")]
        return legend, profile.xpath(".//*[@class='radar']//*[@class='field']/@d")

    assert drawn() == (["Model 4 33.33", "Model 10, leader 83.33"], [])
    enter(release, owner, "Model 2", 2)
    legend, (line,) = drawn()
    assert legend == ["Model 4 33.33", "Model 10, leader 83.33", "Median model 50.00"]
    assert line.startswith("M")
    rows = part(page_at(client, address), "profile").xpath(".//tbody/tr")
    assert words(rows[-1]).startswith("Median model 50.00")


def test_answers_far_below_and_far_above_the_field_come_first(release, owner, client):
    for name, right in (("A", 12), ("B", 11), ("C", 10)):
        enter(release, owner, name, right)
    odd = "".join(f"{n}={'no' if n < 2 else ''}word{n}\n" for n in range(QUESTIONS))
    entry = judged(submit(release, owner, odd.encode(), name="Odd")).submission
    store_boards("spelling")
    page = page_at(client, f"/entries/{entry.pk}/")
    cards = [words(card) for card in part(page, "worth-reading").xpath(".//article")]
    below, above = cards[:2], cards[2:]
    for number, card in enumerate(below):
        assert f"Furthest behind other models Spell word {number}. “noword{number}”" in card
        assert "wrong . 75.0 % of entries get this right." in card
    assert [card.split("“")[1].split("”")[0] for card in above] == ["word11", "word10"]
    assert all(card.startswith("Furthest ahead of other models") for card in above)
    leads = part(page, "worth-reading").xpath(".//article//a[contains(@href, '#question-')]")
    anchor = leads[0].get("href").partition("#")[2]
    listed = page_at(client, leads[0].get("href"))
    folds = part(listed, anchor).xpath("./ancestor::details")
    assert folds
    assert all(fold.get("open") is not None for fold in folds)


def test_what_is_not_read_first_is_folded_and_still_there(release, owner, client):
    entry = enter(release, owner, "Model", 7)
    page = page_at(client, f"/entries/{entry.pk}/")
    for name in ("metrics", "questions", "judge", "about"):
        (fold,) = part(page, name).xpath("./ancestor::details")
        assert fold.get("open") is None
    asked = page_at(client, f"/entries/{entry.pk}/?outcome=wrong")
    assert part(asked, "questions").xpath("./ancestor::details")[0].get("open") is not None


def test_a_longer_board_costs_the_page_no_more_queries(release, owner, client):
    def queries(address: str) -> int:
        with CaptureQueriesContext(
            connection,
        ) as found:
            assert client.get(address).status_code == 200
        return len(found)

    first = enter(release, owner, "Model 6", 6)
    for right in (11, 9, 7, 5, 3, 1):
        enter(release, owner, f"Model {right}", right)
    store_boards("spelling")
    address = f"/entries/{first.pk}/?outcome=wrong"
    few = queries(address)
    for right in (12, 10, 8, 4, 2, 0):
        enter(release, owner, f"Model {right}", right)
    store_boards("spelling")
    assert "of 13" in shown(client, f"/entries/{first.pk}/?outcome=right")
    assert queries(f"{address}&page=1") <= few
