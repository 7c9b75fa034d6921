"""How much one person or team may hand in to one release: files a day, files not judged yet, files
kept. Zero is no limit.

It holds for what comes over the network, whoever sends it, staff too; an operator at the terminal
is not limited. A file that was refused, or cancelled before it was confirmed, or that the site
failed to judge, takes no place.

The members of a team share its places. What a member hands in for a team takes one of the team's
and one of their own, so that nobody has more places by founding teams; where staff gave the team
more for a while, its members may use them. Files kept count for their owner alone: who left a team
cannot withdraw what is the team's.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Case, Count, Value, When
from django.db.models.functions import Concat
from django.utils import timezone
from django.utils.formats import date_format

from benchmarks.common.lately import lately
from benchmarks.models import Release
from benchmarks.submissions.models import Submission
from benchmarks.submissions.querysets import SubmissionQuerySet
from benchmarks.submissions.team_models import LimitRaise, Team

DAY = timedelta(hours=24)
HIDDEN_TEST_LIMIT = 5
"""Files that a hidden test takes of one account or team for good, withdrawn and replaced ones
included: each shows one more rounded score of the same labels, so that a limit that came back
every day would bound nothing. What one score can tell is at most a tenth of a label
(leaderboard/results/scoresheets/hidden_tests.py), five at most a half; fewer would leave no room
for a mistake."""
SHORTEST_WAIT = timedelta(minutes=1)  # where the next place comes with an event, not at a time


@dataclass(frozen=True, slots=True)
class NoPlace:
    """Why a person may hand in nothing now. `next_place`: the instant from which they may; None
    where it is not known, because they, or a judge, must do something first."""

    sentence: str
    next_place: datetime | None = None

    def wait_seconds(self, now: datetime) -> int:
        """What a program is told to wait before it tries again."""
        end = self.next_place or now + SHORTEST_WAIT
        return max(1, int((end - now).total_seconds()) + 1)


@dataclass(frozen=True, slots=True)
class Limits:
    """Files within 24 hours, not judged yet, and kept; 0 is no limit."""

    submissions_day: int
    unfinished: int
    files: int

    def raised_to(self, other: "Limits") -> "Limits":
        """The higher of each; none is highest."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Limits(*(0 if 0 in pair else max(pair) for pair in pairs))


def limits_of(
    *, owner: User | None = None, team: Team | None = None, now: datetime | None = None
) -> Limits:
    """Of a person or a team: the settings', or what staff raised them to for now. One query."""
    return _limits_by(LimitRaise.objects.filter(owner=owner, team=team).first(), now)


def _limits_by(newest: LimitRaise | None, now: datetime | None) -> Limits:
    usual = Limits(settings.QUOTA_SUBMISSIONS_DAY, settings.QUOTA_UNFINISHED, settings.QUOTA_FILES)
    if newest is None or newest.until <= (now or timezone.now()):
        return usual
    raised = (newest.submissions_day, newest.unfinished, newest.files)
    pairs = zip(raised, astuple(usual), strict=True)
    return usual.raised_to(Limits(*(least if most is None else most for most, least in pairs)))


def no_place(
    owner: User, release_id: int, *, team: Team | None = None, now: datetime | None = None
) -> NoPlace | None:
    """None where a file is welcome, for the team where one is named."""
    return places_taken(owner, [release_id], team=team, now=now).get(release_id)


def places_taken(
    owner: User,
    release_ids: Iterable[int],
    *,
    team: Team | None = None,
    now: datetime | None = None,
) -> Mapping[int, NoPlace]:
    """By release, those of `release_ids` to which the person may hand in nothing now, for the team
    where one is named. Five queries, and five more for a team."""
    now, wanted = now or timezone.now(), list(release_ids)
    there, tests = Submission.objects.filter(release__in=wanted), _hidden_tests(wanted)
    mine, limits = there.filter(owner=owner), limits_of(owner=owner, now=now)
    own_refusals = _hidden_test_refusals(Submission.objects.filter(owner=owner), tests, "yours")
    if team is None:
        return _refusals(mine, mine.filter(team=None), limits, now, "yours") | own_refusals
    teams_limits = limits_of(team=team, now=now)
    teams = there.filter(team=team)
    own = _refusals(mine, mine.none(), limits.raised_to(teams_limits), now, "yours") | own_refusals
    team_refusals = _hidden_test_refusals(
        Submission.objects.filter(team=team), tests, "your team's"
    )
    return own | _refusals(teams, teams, teams_limits, now, "your team's") | team_refusals


def _refusals(
    taking: SubmissionQuerySet,
    kept: SubmissionQuerySet,
    limits: Limits,
    now: datetime,
    holder: str,
) -> dict[int, NoPlace]:
    found: dict[int, NoPlace] = {}
    # The last word is the one that tells an instant.
    for refusals in (
        _kept(kept, limits.files, holder),
        _unfinished(taking, limits.unfinished, holder),
        _of_day(taking, limits.submissions_day, now, holder),
    ):
        found |= refusals
    return found


def _of_day(mine: SubmissionQuerySet, limit: int, now: datetime, holder: str) -> dict[int, NoPlace]:
    instants: dict[int, list[datetime]] = {}
    recent = mine.spending().filter(lately("created", now, DAY)).order_by("created")
    for release_id, created in recent.values_list("release", "created") if limit else ():
        instants.setdefault(release_id, []).append(created)
    return {
        release_id: _full_day(limit, found[-limit] + DAY, holder)
        for release_id, found in instants.items()
        if len(found) >= limit
    }


def _full_day(limit: int, next_place: datetime, holder: str) -> NoPlace:
    when = date_format(next_place, "Y-m-d H:i:s")
    sentence = (
        f"It accepts {_files(limit)} of {holder} within 24 hours. You can submit the next one at "
        f"{when} UTC."
    )
    return NoPlace(sentence, next_place)


def _unfinished(mine: SubmissionQuerySet, limit: int, holder: str) -> dict[int, NoPlace]:
    return _where_reached(mine.spending().unfinished(), limit, _unfinished_sentence(limit, holder))


def _unfinished_sentence(limit: int, holder: str) -> str:
    which = "That one is" if limit == 1 else "Those are"
    return (
        f"It accepts {_files(limit)} of {holder} at a time. {which} not finished: you can submit"
        " the next one once one is judged, or once you cancel or withdraw one."
    )


def _kept(mine: SubmissionQuerySet, limit: int, holder: str) -> dict[int, NoPlace]:
    return _where_reached(_uploads(mine), limit, _kept_sentence(limit, holder))


def _kept_sentence(limit: int, holder: str) -> str:
    return (
        f"It keeps at most {_files(limit)} of {holder}. That limit is reached: withdraw one first."
    )


def _uploads(found: SubmissionQuerySet) -> SubmissionQuerySet:
    return found.not_withdrawn().filter(origin=Submission.Origin.UPLOAD)


KINDS = (".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet")
"""Endings that a stored file keeps (services.store_submission)."""
READ_AS = Case(*(When(file__endswith=kind, then=Value(kind)) for kind in KINDS), default=Value(""))
FILES = Count(Concat("sha256", READ_AS), distinct=True)
"""Different files: the same answers have the same score, which tells nothing new. The same bytes
under another ending may be other answers: a table can be read by commas and by tabs."""


def _hidden_tests(release_ids: Iterable[int]) -> Mapping[int, str]:
    """Those of these releases that are hidden tests, each with the secret of its rounding, which a
    release shares with the next one that corrects it: both ask the same labels. One query."""
    hidden = Release.objects.filter(pk__in=list(release_ids))
    hidden = hidden.filter(disclosure=Release.Disclosure.HIDDEN_TEST)
    return dict(hidden.values_list("pk", "rounding_secret"))


def _hidden_test_files(found: SubmissionQuerySet, secrets: Collection[str]) -> SubmissionQuerySet:
    """At the labels of these secrets, at whichever release. Also what takes no place of the day
    because requests failed: whoever writes answers that an endpoint refuses would look for ever."""
    return found.handed_in().filter(release__rounding_secret__in=secrets).order_by()


def _hidden_test_refusals(
    found: SubmissionQuerySet, tests: Mapping[int, str], holder: str
) -> dict[int, NoPlace]:
    """found: all that one person or team handed in anywhere. One query, none without tests."""
    if not tests:
        return {}
    rows = _hidden_test_files(found, set(tests.values()))
    used = dict(rows.values_list("release__rounding_secret").annotate(files=FILES))
    sentence = NoPlace(_hidden_test_sentence(holder))
    return {
        pk: sentence for pk, secret in tests.items() if used.get(secret, 0) >= HIDDEN_TEST_LIMIT
    }


def _hidden_test_sentence(holder: str) -> str:
    return (
        f"It is a hidden test and accepts {_files(HIDDEN_TEST_LIMIT)} of {holder} in all,"
        " including withdrawn and replaced ones. You cannot submit another."
    )


def attempts_left(owner: User | None, release: Release, *, team: Team | None = None) -> int | None:
    """How many more files the hidden test takes of the person, or of them and their team; None
    where the release is none. All of them where nobody is signed in."""
    if release.verdicts_are_public:
        return None
    if owner is None:
        return HIDDEN_TEST_LIMIT
    everything = Submission.objects.all()
    holders = [everything.filter(owner=owner), *([everything.filter(team=team)] if team else [])]
    files = [_hidden_test_files(rows, [release.rounding_secret]) for rows in holders]
    used = [int(rows.aggregate(files=FILES)["files"]) for rows in files]
    return max(0, HIDDEN_TEST_LIMIT - max(used))


def _where_reached(found: SubmissionQuerySet, limit: int, sentence: str) -> dict[int, NoPlace]:
    if not limit:
        return {}
    counts = found.order_by().values_list("release").annotate(count=Count("pk"))
    return {release_id: NoPlace(sentence) for release_id, count in counts if count >= limit}


def _files(count: int) -> str:
    return "one file" if count == 1 else f"{count} files"


# --- told before a file is chosen -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DayPlaces:
    """Of a person or a team at a release: how many of the day's places are left, and from when one
    more is."""

    left: int
    next_place: datetime

    def and_of(self, other: "DayPlaces | None") -> "DayPlaces":
        """What is left to who needs a place of both."""
        if other is None or self.left < other.left:
            return self
        if other.left < self.left:
            return other
        return DayPlaces(self.left, max(self.next_place, other.next_place))


def places_left_by_release(
    owner: User, release_ids: Iterable[int], limit: int, *, now: datetime | None = None
) -> Mapping[int, DayPlaces]:
    """By release, where the person took a place within 24 hours; the others have all of their
    `limit`. One query."""
    mine = Submission.objects.filter(owner=owner, release__in=list(release_ids))
    taken = _taken_within_day(mine, "owner", now)
    return {release_id: _left(limit, found) for (_, release_id), found in taken.items()}


@dataclass(frozen=True, slots=True)
class TeamDays:
    """How many files a release takes of a team within 24 hours, and by release what is left to a
    member who hands in for it, where that is not all. stopped: by release, why it takes none of the
    team's until one of them is judged or withdrawn."""

    limit: int
    left_by_release: Mapping[int, DayPlaces]
    stopped: Mapping[int, str]


def days_of_teams(
    member: User, teams: Sequence[Team], release_ids: Iterable[int], *, now: datetime | None = None
) -> Mapping[int, TeamDays]:
    """By team. A member needs a place of the team and one of their own, of which they have as many
    as the team where it has more. Six queries, however many teams; none without any."""
    if not teams:
        return {}
    release_ids = list(release_ids)
    there = Submission.objects.filter(release__in=release_ids)
    teams_files = there.filter(team__in=teams)
    of_teams = _taken_within_day(teams_files, "team", now)
    own = _taken_within_day(there.filter(owner=member), "owner", now)
    own_limits, limits = limits_of(owner=member, now=now), _limits_of_teams(teams, now)
    stopped = _stopped_teams(teams_files, limits, _hidden_tests(release_ids))
    return {
        team.pk: TeamDays(
            limits[team.pk].submissions_day,
            _places_left_for_team(team.pk, of_teams, own, limits[team.pk], own_limits),
            stopped.get(team.pk, {}),
        )
        for team in teams
    }


Taken = Mapping[tuple[int, int], Sequence[datetime]]
"""By person or team, and release: when places were taken, oldest first."""


def _places_left_for_team(
    team_id: int, of_teams: Taken, own: Taken, limits: Limits, own_limits: Limits
) -> dict[int, DayPlaces]:
    limit, own_limit = limits.submissions_day, own_limits.raised_to(limits).submissions_day
    found: dict[int, DayPlaces] = {}
    if limit:
        found = {at: _left(limit, taken) for (of, at), taken in of_teams.items() if of == team_id}
    if limit and own_limit:
        for (_, at), taken in own.items():
            mine = _left(own_limit, taken)
            if at in found or mine.left < limit:
                found[at] = mine.and_of(found.get(at))
    return found


def _stopped_teams(
    found: SubmissionQuerySet, limits: Mapping[int, Limits], tests: Mapping[int, str]
) -> Mapping[int, Mapping[int, str]]:
    """By team and release. Two queries, and one for hidden tests."""
    stopped: dict[int, dict[int, str]] = {}
    files = _hidden_test_files(Submission.objects.filter(team__in=limits), set(tests.values()))
    used = files.values_list("team", "release__rounding_secret").annotate(count=FILES)
    for team_id, secret, count in used if tests else ():
        if count >= HIDDEN_TEST_LIMIT:
            same = [pk for pk, its in tests.items() if its == secret]
            stopped.setdefault(team_id, {}).update(
                dict.fromkeys(same, _hidden_test_sentence("your team's"))
            )
    for rows, named, sentence in (
        (_uploads(found), "files", _kept_sentence),
        (found.spending().unfinished(), "unfinished", _unfinished_sentence),
    ):
        counts = rows.order_by().values_list("team", "release").annotate(count=Count("pk"))
        for team_id, release_id, count in counts:
            limit = getattr(limits[team_id], named)
            if limit and count >= limit:
                stopped.setdefault(team_id, {})[release_id] = sentence(limit, "your team's")
    return stopped


def _limits_of_teams(teams: Sequence[Team], now: datetime | None) -> Mapping[int, Limits]:
    """One query."""
    newest: dict[int | None, LimitRaise] = {}
    for one in LimitRaise.objects.filter(team__in=teams):
        newest.setdefault(one.team_id, one)
    return {team.pk: _limits_by(newest.get(team.pk), now) for team in teams}


def _taken_within_day(found: SubmissionQuerySet, by: str, now: datetime | None) -> Taken:
    """One query."""
    taken: dict[tuple[int, int], list[datetime]] = {}
    found = found.spending().filter(lately("created", now or timezone.now(), DAY))
    recent = found.order_by("created")
    for holder, release_id, created in recent.values_list(by, "release", "created"):
        taken.setdefault((holder, release_id), []).append(created)
    return taken


def _left(limit: int, taken: Sequence[datetime]) -> DayPlaces:
    """Of more than the limit, as after it was lowered, the oldest free no place yet."""
    return DayPlaces(max(0, limit - len(taken)), taken[-limit:][0] + DAY)
