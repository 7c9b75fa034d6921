"""What people typed stands in the log of staff as they typed it."""

from django.utils.html import escape

from leaderboard.staff.log_admin import table_of

TYPED = "<script>x</script>&\"'"


def test_values_before_and_after_are_no_markup():
    shown = table_of([("organisation", TYPED, "–"), (TYPED, "–", "Example")])
    assert "<script>" not in shown
    assert shown.count(escape(TYPED)) == 2
    assert shown.count("<tr>") == 3
