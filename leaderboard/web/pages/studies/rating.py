"""The page on which a rater looks at one item after another, and the list of a rater's studies."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from benchmarks.selectors import protocol_of
from judging.coordination.clock import database_now
from judging.panel.models import Study, StudyRater
from judging.panel.studies.asking import AskedItem, choices_of, progress_of
from judging.panel.studies.handing_out import has_items
from judging.panel.studies.plans import meets_checks
from judging.panel.studies.raters import may_rate
from leaderboard.web.pages.entries.questions import images_of, shown_image


def rating_page(rater: StudyRater, items: Sequence[AskedItem]) -> dict[str, Any]:
    """Needs the study with its release and benchmark. has_items: the rater has some, or would be
    given some. is_single: one question with a few answers,
    where pressing one is the vote; data: what the script of the page starts from."""
    study = rater.study
    panel = protocol_of(study.release).panel
    done, total = progress_of(rater)
    shown = shown_items(items)
    asked = asked_lines(items[0]) if items else []
    now = database_now()
    return {
        "study": study,
        "rater": rater,
        "item": next(iter(shown), None),
        "asked": asked,
        "is_single": len(asked) == 1,
        "done": done,
        "total": total,
        "place": min(done + 1, total),
        "instructions": paragraphs(panel.INSTRUCTIONS if panel else "") + paragraphs(study.note),
        "checks": checks_words(study),
        "consent": () if rater.consented else paragraphs(study.consent),
        "late": late_note(study, now),
        "has_items": has_items(rater, now),
        "data": {"items": shown, "asked": asked},
    }


def checks_words(study: Study) -> str:
    """What raters are told of attention checks; empty where nobody meets one."""
    if not meets_checks(study):
        return ""
    about = "A few items are attention checks; they are not counted."
    fewer = f"fewer than {study.least_passed}\N{NO-BREAK SPACE}% of them"
    return {
        Study.Failing.MARKED.value: f"{about} Raters who pass {fewer} are marked in the report, "
        f"which has numbers and no names.",
        Study.Failing.LEFT_OUT.value: f"{about} Votes of raters who pass {fewer} are left out of "
        f"the results.",
    }.get(study.failing, about)


def late_note(study: Study, now: datetime) -> str:
    """What a rater is told after the end, while votes are taken; empty before."""
    if study.hands_out(now) or not study.late_until:
        return ""
    ended = study.closed or study.expires
    return (
        f"This study ended on {day(ended)}. There are no new items; your votes on the items you "
        f"have are accepted until {day(study.late_until)}, {study.late_until:%H:%M} UTC."
    )


def day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else ""


NO_LINK = "This link does not work: it was replaced by a newer one, revoked or mistyped."


def ended_page(rater: StudyRater | None) -> dict[str, Any]:
    """Of a study that takes no votes from its reader. `rater` is None where nobody knows whose link
    it was; `why` is a sentence."""
    if rater is None:
        return {"why": NO_LINK}
    done = 0 if rater.withdrew else progress_of(rater)[0]
    return {"why": why_ended(rater), "rater": rater, "done": done}


def why_ended(rater: StudyRater) -> str:
    study = rater.study
    if rater.withdrew:
        return f"You withdrew your votes on {day(rater.withdrew)}. They no longer count."
    if rater.removed:
        return "You are no longer a rater of this study. The person who invited you knows why."
    if study.state == Study.State.WITHDRAWN:
        return "This study was withdrawn. Its ratings do not count."
    last = f" Votes were accepted until {day(study.late_until)}." if study.late_until else ""
    return f"This study ended on {day(study.closed or study.expires)}.{last}"


def paragraphs(text: str) -> tuple[str, ...]:
    blocks = text.replace("\r\n", "\n").split("\n\n")
    return tuple(block.strip() for block in blocks if block.strip())


def shown_items(items: Sequence[AskedItem]) -> list[dict[str, Any]]:
    """Everything a browser gets of items; `texts`: one, or two that are compared. One query for all
    pictures."""
    pictures = images_of([item.question for item in items])
    found = []
    for item in items:
        own = pictures.get(item.question.figure_id or 0, [])
        stored = [asdict(shown_image(image)) for image in own if image.sha256]
        found.append(
            {
                "id": item.pk,
                "question": item.question.text,
                "images": stored,
                "missing": len(own) - len(stored),
                "texts": item.texts,
                "truth": item.truth,
            }
        )
    return found


def asked_lines(item: AskedItem) -> list[dict[str, Any]]:
    """Lines of the page: what is asked, and what may be said, each by its key."""
    lines = []
    for dimension in item.dimensions:
        choices = choices_of(dimension, compares=len(item.texts) > 1)
        lowest, highest = dimension.ends or ("", "")
        lines.append(
            {
                "slug": dimension.slug,
                "asks": dimension.asks or dimension.title,
                "choices": [
                    {
                        "value": value,
                        "word": word,
                        "key": key_of(place if dimension.words else value),
                    }
                    for place, (value, word) in enumerate(choices, 1)
                ],
                "lowest": lowest,
                "highest": highest,
            }
        )
    return lines


def key_of(number: int) -> str:
    """The key of a digit; "x" for ten, as the Romans wrote it."""
    return "x" if number == 10 else str(number)


MOST_LINES = 50
"""The newest; who rated in more asks whoever runs an older study."""


def studies_of(user: User) -> list[dict[str, Any]]:
    """Studies that take votes from the account, and those that ended and have some: there votes can
    be withdrawn. Some queries each. `ended`: why no vote is taken any more, as a sentence; empty
    where some are."""
    now = database_now()
    states = Study.State.OPEN, Study.State.CLOSED
    raters = StudyRater.objects.filter(account=user, study__state__in=states, withdrew=None)
    found = raters.select_related("study__release__benchmark").order_by("-study__created")
    lines = []
    for rater in found[:MOST_LINES]:
        done, total = progress_of(rater)
        ended = "" if may_rate(rater, now) else why_ended(rater)
        late = late_note(rater.study, now)
        if done or not ended:
            lines.append(
                {
                    "study": rater.study,
                    "done": done,
                    "total": total,
                    "late": late,
                    "ended": ended,
                    "has_items": has_items(rater, now),
                }
            )
    return lines[::-1]
