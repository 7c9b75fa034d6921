"""What happened to entries becomes notices of the people whose they are: once a minute, by
whichever worker is first.

Nothing calls this room. It follows the chain, in which every scoresheet, withdrawal and decision
stands in its order, from the link where it was last; runs that were paused and files that nobody
confirmed it finds by their time. So nothing is lost while no worker lives, and what a look costs
does not grow with what the site has. A notice is written once by its key, with what is to be sent
of it to webhooks, in the transaction that moves the cursor.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models.functions import Now

from benchmarks.selectors import protocol_of
from benchmarks.submissions.intake.replacing import version_number
from benchmarks.submissions.models import RankingDecision, Submission
from benchmarks.submissions.team_models import Membership
from judging.coordination.clock import database_now
from judging.models import JudgeRun
from judging.services.deadlines import UNCONFIRMED
from leaderboard.models import ChainLink
from leaderboard.models.notices import SENTENCE_LENGTH, Notice, NoticeCursor
from leaderboard.people.notices.deliveries import add_deliveries
from leaderboard.people.notices.descriptions import tell_writers
from leaderboard.people.notices.reports import tell_reporters
from leaderboard.people.notices.writing import add_new
from leaderboard.results.chain.links import head
from leaderboard.results.formatting import print_value

Kind, Link = Notice.Kind, ChainLink.Kind
AT_ONCE = 200
"""Links of a look: those of scoresheets have some 20 kB each, and on SQLite the look holds
up every other writer. Ten thousand that are scored anew are told within the hour."""
MOST = 2_000
"""Runs or files of a look. Each is of another person, for people wait for one file to be judged
before they hand in the next, so that more within a minute are of a site that was down for days."""
REMIND_AFTER = timedelta(days=1)
OVERLAP = timedelta(minutes=5)
"""A row has the time of when its transaction began and is seen when that ends; keys keep what is
seen twice from being told twice."""
ABOUT = {
    JudgeRun.Pause.BUDGET: "a budget is used up. A daily budget has room again after midnight "
    "UTC, and judging then continues by itself",
    JudgeRun.Pause.ENDPOINT: "its judge is unavailable. Judging continues by itself once the "
    "operators have reopened it",
    JudgeRun.Pause.JUDGE: "its judge needs an operator's attention",
    JudgeRun.Pause.FAULT: "an error on our side; your file is fine. The operators have been told",
    JudgeRun.Pause.PERSON: "an operator paused it",
}


FLAPPING = timedelta(hours=1)
"""A run that is paused anew within it is no news: an endpoint that comes and goes would be a mail
every few minutes. The notice there is says how often instead."""


@dataclass(frozen=True, slots=True)
class Event:
    """judge: of whose run it is told; empty where it is of none. happened: of what comes and goes,
    when it came."""

    kind: Notice.Kind
    key: str
    submission: Submission
    sentence: str
    judge: str = ""
    happened: datetime | None = None


def tell_people() -> int:
    """Whoever has to know has a notice of what happened since the last look; how many. The first
    look of a site tells nothing of what was before."""
    with transaction.atomic():
        cursor = held_cursor()
        if cursor is None:
            return 0
        now = database_now()
        events = [*of_links(cursor), *of_pauses(cursor, now), *of_unconfirmed(cursor, now)]
        written = write_notices(events, now)
        since = cursor.described - OVERLAP if cursor.described else None
        written += tell_writers(cursor, since, now)
        since = cursor.answered - OVERLAP if cursor.answered else None
        written += tell_reporters(cursor, since, now)
        cursor.save()
    return written


def held_cursor() -> NoticeCursor | None:
    """The one row, until the transaction ends; None where another worker has it, or it is new."""
    can_skip = connection.features.has_select_for_update_skip_locked
    rows = NoticeCursor.objects.select_for_update(skip_locked=can_skip)
    found = rows.filter(pk=NoticeCursor.ONLY).first()
    if found is None:
        last, now = head(), database_now()
        new = NoticeCursor(
            pk=NoticeCursor.ONLY,
            link=last.number if last else 0,
            paused=now,
            unconfirmed=now,
            described=now,
            answered=now,
        )
        NoticeCursor.objects.bulk_create([new], ignore_conflicts=True)
    return found


# --- what happened --------------------------------------------------------------------------------


def of_links(cursor: NoticeCursor) -> Iterator[Event]:
    found = ChainLink.objects.filter(number__gt=cursor.link, number__lte=cursor.link + AT_ONCE)
    links = list(found.order_by("number").defer("content"))
    if not links:
        return
    cursor.link = links[-1].number or cursor.link
    known = owned({link.submission for link in links})
    links = [link for link in links if link.submission in known]
    earlier = earlier_numbers([link for link in links if link.kind == Link.SCORESHEET])
    for link in links:
        submission = known[link.submission]
        if link.kind == Link.SCORESHEET:
            before = earlier.get(link.pk, {})
            yield from of_scoresheet(link, submission, before)
        elif link.kind == Link.WITHDRAWAL:
            yield withdrawal(link, submission)
        elif link.kind in (Link.KEPT_OUT, Link.RANKED):
            yield decision(link, submission)


def owned(keys: set[UUID]) -> dict[UUID, Submission]:
    """Those of them that somebody handed in."""
    rows = Submission.objects.filter(pk__in=keys, owner__isnull=False)
    return {row.pk: row for row in rows.select_related("model", "release__benchmark", "team")}


def earlier_numbers(links: Sequence[ChainLink]) -> dict[int, dict[str, int]]:
    """By key of a link: of the scoresheets of its submission before it, by judge the last one's
    number."""
    rows = ChainLink.objects.filter(
        submission__in={link.submission for link in links}, kind=Link.SCORESHEET
    ).values_list("submission", "judge", "number")
    found = list(rows)
    earlier: dict[int, dict[str, int]] = {}
    for link in links:
        last = earlier.setdefault(link.pk, {})
        for submission, judge, number in found:
            if submission == link.submission and number and number < (link.number or 0):
                last[judge] = max(number, last.get(judge, 0))
    return earlier


def of_scoresheet(
    link: ChainLink, submission: Submission, before: Mapping[str, int]
) -> Iterator[Event]:
    """Its first one is told, later ones where the score is another, or the judge."""
    if not submission.confirmed or submission.withdrawn:
        return
    content = content_of_link(link.number)
    score = shown_score(submission, content.get("ranking"))
    if not before:
        missing = int(content.get("failed", 0)) + int(content.get("unreadable", 0))
        yield Event(
            Kind.FINISHED,
            f"finished/{submission.pk}",
            submission,
            f"Judged: {score}. {audience_of(submission)}{missing_sentence(missing)}",
            link.judge,
        )
    elif link.judge not in before:
        sentence = f"Another judge has judged it too, on a separate board: {score}."
        key = f"judged/{submission.pk}/{digits(link.judge)}"
        yield Event(Kind.REJUDGED, key, submission, sentence, link.judge)
    else:
        old = shown_score(submission, content_of_link(before[link.judge]).get("ranking"))
        if old != score:
            sentence = (
                f"It was judged or scored again. New score {score} (was {old}). The history of "
                f"its board says why."
            )
            yield Event(Kind.REJUDGED, f"rejudged/{link.number}", submission, sentence, link.judge)


def digits(judge: str) -> str:
    return judge[-60:]


def content_of_link(number: int | None) -> Mapping[str, Any]:
    text = ChainLink.objects.filter(number=number).values_list("content", flat=True).first()
    found: Mapping[str, Any] = json.loads(text or "{}")
    return found


def shown_score(submission: Submission, value: object) -> str:
    family = protocol_of(submission.release)
    metric = family.board.METRICS[family.board.BOARD.ranking]
    if not isinstance(value, int | float):
        return f"no {metric.title} yet, because too few answers have a verdict"
    return f"{metric.title} {print_value(metric, value)}"


def audience_of(submission: Submission) -> str:
    if submission.visibility == Submission.Visibility.PUBLIC:
        return "It appears on its board within a minute or two."
    return "It is private: nobody else sees it until you publish it."


def missing_sentence(count: int) -> str:
    if not count:
        return ""
    some = "1 judgement ended" if count == 1 else f"{count:,} judgements ended"
    return f" {some} without a verdict; its page says why, and what can be asked again."


def withdrawal(link: ChainLink, submission: Submission) -> Event:
    if submission.replaced_by_id:
        return replacement(link, submission)
    sentence = (
        "It was withdrawn and is no longer on any board; its line in your entries remains. If "
        "neither you nor your team did this, ask the operators."
    )
    return Event(Kind.DECIDED, f"withdrawn/{link.number}", submission, sentence)


def replacement(link: ChainLink, submission: Submission) -> Event:
    assert submission.replaced_by_id
    number = version_number(submission.replaced_by_id)
    newer = f"version {number}" if number else "a newer version"
    sentence = (
        f"It was replaced by {newer}, which is judged and public and takes its place on the "
        f"board. Its page points visitors to the new one."
        if submission.was_public
        else f"It was replaced by {newer}, which is judged and public. Nobody else saw this one, "
        f"and no page mentions it."
    )
    return Event(Kind.REPLACED, f"replaced/{link.number}", submission, sentence)


def decision(link: ChainLink, submission: Submission) -> Event:
    """Its reason is public."""
    is_ranked = link.kind == Link.RANKED
    made = RankingDecision.objects.filter(submission=submission, is_ranked=is_ranked).first()
    what = "Staff ranked it despite its marks" if is_ranked else "Staff excluded it from ranking"
    sentence = f"{what}: {made.reason}" if made else f"{what}."
    return Event(Kind.DECIDED, f"decided/{link.number}", submission, sentence)


def of_pauses(cursor: NoticeCursor, now: datetime) -> Iterator[Event]:
    paused = JudgeRun.objects.not_withdrawn().whole()
    found = paused.filter(
        paused__gt=cursor.paused - OVERLAP, submission__owner__isnull=False
    ).select_related("judge_spec", "submission__model", "submission__release", "submission__team")
    runs = list(found.order_by("paused")[:MOST])
    reported = reported_pauses(runs, now)
    for run in runs:
        assert run.paused is not None
        if first := reported.get(run.pk):
            count_pause(first, run, run.paused)
            continue
        key = f"{pause_key(run.pk)}{run.paused:%Y%m%d%H%M%S}"
        judge = run.judge_spec.slug
        sentence = f"Judging is paused: {about(run)}. Finished judgements are kept."
        yield Event(Kind.PAUSED, key, run.submission, sentence, judge, run.paused)
    cursor.paused = seen_upto([run.paused for run in runs if run.paused], cursor.paused, now)


def about(run: JudgeRun) -> str:
    return ABOUT.get(JudgeRun.Pause(run.pause_kind), "its page says why")


def pause_key(run: int) -> str:
    return f"paused/{run}/"


def reported_pauses(runs: Sequence[JudgeRun], now: datetime) -> dict[int, Notice]:
    """By run: one of the notices, of whichever person, that told of a pause of it less than
    FLAPPING ago."""
    keys = {pause_key(run.pk): run.pk for run in runs}
    rows = Notice.objects.filter(
        submission__in={run.submission_id for run in runs},
        kind=Kind.PAUSED,
        created__gt=now - FLAPPING,
    )
    found = {f"{row.key.rpartition('/')[0]}/": row for row in rows.order_by("-pk")}
    return {keys[key]: row for key, row in found.items() if key in keys}


def count_pause(notice: Notice, run: JudgeRun, paused: datetime) -> None:
    """Those who were told of a pause of the run read how often it was seen since; nobody is mailed
    again."""
    if notice.happened is None or paused <= notice.happened:
        return
    times = notice.times + 1
    sentence = (
        f"Judging was paused {times} times since {notice.created:%H:%M} UTC, as far as was seen. "
        f"The last time: {about(run)}. Finished judgements are kept."
    )
    same = Notice.objects.filter(key=notice.key, submission=notice.submission_id)
    same.update(times=times, happened=paused, sentence=sentence[:SENTENCE_LENGTH])


def of_unconfirmed(cursor: NoticeCursor, now: datetime) -> Iterator[Event]:
    """A day after they came."""
    waiting = Submission.objects.unfinished().filter(
        confirmed__isnull=True,
        owner__isnull=False,
        created__gt=cursor.unconfirmed - REMIND_AFTER - OVERLAP,
        created__lte=Now() - REMIND_AFTER,
    )
    rows = waiting.select_related("model", "release", "team").order_by("created")[:MOST]
    found = list(rows)
    for submission in found:
        end = submission.created + UNCONFIRMED
        sentence = (
            "The file was read and is waiting for you to confirm it; nothing is judged before. "
            f"On {end:%Y-%m-%d} it is cancelled automatically."
        )
        yield Event(Kind.NEEDS_YOU, f"unconfirmed/{submission.pk}", submission, sentence)
    seen = [submission.created + REMIND_AFTER for submission in found]
    cursor.unconfirmed = seen_upto(seen, cursor.unconfirmed, now)


def seen_upto(seen: Sequence[datetime], before: datetime, now: datetime) -> datetime:
    """Where the next look begins: where this one ended, where there is more than it could hold."""
    if len(seen) < MOST:
        return now
    return max(seen[-1] + OVERLAP, before)


# --- who is told ----------------------------------------------------------------------------------


def write_notices(events: Sequence[Event], now: datetime) -> int:
    recipients = people_of([event.submission for event in events])
    made = [
        Notice(
            owner_id=owner,
            kind=event.kind,
            key=event.key,
            submission=event.submission,
            title=f"{event.submission.model.name} on {event.submission.release.title}",
            sentence=event.sentence,
            happened=event.happened,
        )
        for event in events
        for owner in recipients[event.submission.pk]
    ]
    new = add_new(made, now)
    add_deliveries(new, {event.key: event.judge for event in events}, now)
    return len(new)


def people_of(submissions: Sequence[Submission]) -> dict[UUID, list[int]]:
    """Of each: its owner, or the members of its team."""
    teams = {row.team_id for row in submissions if row.team_id}
    members: dict[int, list[int]] = {}
    for team, user in Membership.objects.filter(team__in=teams).values_list("team", "user"):
        members.setdefault(team, []).append(user)
    return {
        row.pk: members.get(row.team_id, []) if row.team_id else [row.owner_id or 0]
        for row in submissions
    }
