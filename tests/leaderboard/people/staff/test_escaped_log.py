"""What people typed stands in the log of staff as they typed it."""

from django.utils.html import escape

from benchmarks.common.staff_log import record_action
from leaderboard.people.staff.log_admin import table_of

TYPED = "<script>x</script>&\"'"


def test_values_before_and_after_are_no_markup():
    shown = table_of([("organisation", TYPED, "–"), (TYPED, "–", "Example")])
    assert "<script>" not in shown
    assert shown.count(escape(TYPED)) == 2
    assert shown.count("<tr>") == 3


def test_the_name_of_what_was_changed_is_no_markup(desk, spelling, admin_user):
    action = record_action(by=admin_user, on=spelling, name=TYPED, what="freeze")
    page = desk.get(f"/admin/benchmarks/staffaction/{action.pk}/change/").text
    assert TYPED not in page
    assert f">{escape(TYPED)}</a>" in page
