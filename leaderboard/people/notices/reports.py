"""Whoever reported a question has a notice of what became of it.

Found by the time of the answer, as decisions about descriptions are. The answer itself stands on
the page of the question once the report is confirmed, and nowhere else for its writer: so the
notice says it.
"""

from datetime import datetime

from django.urls import reverse

from benchmarks.models import QuestionReport
from leaderboard.models.notices import SENTENCE_LENGTH, Notice, NoticeCursor
from leaderboard.people.notices.writing import add_new

State = QuestionReport.State
MOST = 2_000
"""Answers of a look: more than staff write in a minute."""
STATE_SENTENCES = {
    State.CONFIRMED: "Staff checked it and agree that something is wrong",
    State.NO_PROBLEM: "Staff checked it and found no problem",
}


def tell_reporters(cursor: NoticeCursor, since: datetime | None, now: datetime) -> int:
    """Whoever reported a question that was answered after `since` knows; how many. None: the site
    has not looked before, and tells nothing of what was."""
    cursor.answered = now
    if since is None:
        return 0
    found = QuestionReport.objects.filter(answered__gt=since, reporter__isnull=False)
    rows = list(found.select_related("question").order_by("answered")[:MOST])
    if len(rows) == MOST and rows[-1].answered:
        cursor.answered = min(now, rows[-1].answered)
    made = [
        Notice(
            owner_id=row.reporter_id,
            kind=Notice.Kind.ANSWERED,
            key=f"answered/{row.pk}/{row.answered:%Y%m%d%H%M%S%f}",
            title=f"Your report of question {row.question}",
            sentence=sentence_of(row),
            path=f"{reverse('question', args=[row.question_id])}#reports",
        )
        for row in rows
        if row.reporter_id and row.answered_by_id != row.reporter_id
    ]
    return len(add_new(made, now))


def sentence_of(report: QuestionReport) -> str:
    answer = f"{STATE_SENTENCES[State(report.state)]}. {' '.join(report.answer.split())}"
    cut = SENTENCE_LENGTH - 1
    return answer if len(answer) <= SENTENCE_LENGTH else f"{answer[:cut]}…"
