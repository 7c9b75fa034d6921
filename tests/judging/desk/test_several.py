"""Several versions approved with one comment: what each of them is stands there first, and one that
is refused keeps no other back."""

import pytest

from benchmarks.models import Description, Figure
from benchmarks.services.descriptions import save_draft, submit_for_review
from benchmarks.staff_models import StaffAction
from tests.judging.room import WORKLIST, page_of

ASK, CONFIRM = f"{WORKLIST}approve/", f"{WORKLIST}approve/confirmed/"


def waiting(figure: Figure, author, text: str) -> Description:
    base = Description.objects.filter(figure=figure).count()
    made = save_draft(figure=figure, language="en", text=text, author=author, base_version=base)
    submit_for_review(description=made)
    return made


@pytest.fixture
def both(release, people) -> list[Description]:
    figures = Figure.objects.filter(key__in=("one.png", "dark.png")).order_by("pk")
    return [waiting(figure, people["annotator"], f"Figure {figure.pk}.") for figure in figures]


def ticked(versions) -> dict[str, list[str]]:
    return {"figures": [f"{one.figure_id}:{one.language}" for one in versions]}


def states(versions) -> list[str]:
    found = Description.objects.in_bulk([one.pk for one in versions])
    return [str(found[one.pk].state) for one in versions]


def test_each_text_is_read_before_any_is_approved(visit, both):
    page = page_of(visit("reviewer").post(ASK, ticked(both)))
    for one in both:
        assert one.text in page
        assert f'name="version" value="{one.pk}"' in page
    assert states(both) == ["in review"] * 2


def test_those_that_stay_ticked_are_approved_with_one_comment(visit, both):
    sent = {"version": [one.pk for one in both], "comment": "Well seen."}
    page = page_of(visit("reviewer").post(CONFIRM, sent, follow=True))
    assert "2 versions are approved." in page
    assert states(both) == ["approved"] * 2
    assert set(Description.objects.values_list("review_comment", flat=True)) == {"Well seen."}
    assert StaffAction.objects.filter(sentence__contains="is approved").count() == 2


def test_own_words_are_named_and_refused_and_the_others_are_approved(visit, both, people):
    both[0].delete()
    mine = waiting(both[0].figure, people["reviewer"], "Mine.")
    page = page_of(visit("reviewer").post(ASK, ticked([mine, both[1]])))
    assert "These words are yours in part" in page
    assert f'name="version" value="{mine.pk}"' not in page
    sent = {"version": [mine.pk, both[1].pk]}
    page = page_of(visit("reviewer").post(CONFIRM, sent, follow=True))
    assert "1 version is approved." in page
    assert "Nobody approves their own description" in page
    assert states([mine, both[1]]) == ["in review", "approved"]


def test_one_that_was_decided_meanwhile_is_not_decided_again(visit, both):
    visit("other_reviewer").post(CONFIRM, {"version": both[0].pk, "comment": "First."})
    page = page_of(
        visit("reviewer").post(CONFIRM, {"version": [one.pk for one in both]}, follow=True)
    )
    assert "is approved, not in review." in page
    both[0].refresh_from_db()
    assert both[0].review_comment == "First."
    assert states(both) == ["approved"] * 2


def test_only_reviewers_approve(visit, both):
    for name in ("annotator", "staff"):
        assert visit(name).post(ASK, ticked(both)).status_code == 403
        assert visit(name).post(CONFIRM, {"version": both[0].pk}).status_code == 403
    assert states(both) == ["in review"] * 2


@pytest.mark.parametrize("sent", [{}, {"figures": "x"}, {"figures": "99:en"}])
def test_nothing_ticked_approves_nothing(visit, both, sent):
    assert "tick figures that are in review first" in page_of(
        visit("reviewer").post(ASK, sent, follow=True)
    )
    visit("reviewer").post(CONFIRM, {"version": ["x", "999999"]})
    assert states(both) == ["in review"] * 2
