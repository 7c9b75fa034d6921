"""Taking in what was answered. A file is accepted whole or refused with every problem; nothing in
between."""

import hashlib
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from benchmarks.models import Release
from benchmarks.protocols.base import Note, PredictionReading, Problem, Upload
from benchmarks.selectors import (
    protocol_of,
    question_keys,
    question_views,
    release_questions,
    releases_with_ids,
)
from benchmarks.submissions.facts import FACTS, fact_text, title_of
from benchmarks.submissions.files import loose
from benchmarks.submissions.files.reading import (
    RETRY_SECONDS,
    HostBusyError,
    ReadersBusyError,
    SenderBusyError,
    read_apart,
)
from benchmarks.submissions.intake.drafts import same_draft
from benchmarks.submissions.intake.quota import KINDS, NoPlace, no_place
from benchmarks.submissions.intake.replacing import why_not_replace
from benchmarks.submissions.marks.near_equals import find_near_equals_at_upload, forget_sketch
from benchmarks.submissions.models import (
    REASON_LENGTH,
    Answer,
    EvaluatedModel,
    FactChange,
    Submission,
)
from benchmarks.submissions.naming.lookalike_names import same_writing, skeleton
from benchmarks.submissions.naming.names import NameRefusedError, clean_name
from benchmarks.submissions.naming.slugs import free_slug, random_slug
from benchmarks.submissions.team_models import Membership, Team

BUSY = (
    "The site is reading as many files as it can. Yours was not read; send it again in "
    "{RETRY_SECONDS} seconds."
)
HOST_BUSY = (
    "The server is too busy to read your file. The file itself may be fine; send it again in "
    "{RETRY_SECONDS} seconds or later."
)
SENDER_BUSY = (
    "Another file of yours is being read, and the site reads one file per person at a time. This "
    "one was not read; send it again in {RETRY_SECONDS} seconds."
)


class SubmissionRefusedError(Exception):
    """The file is refused; `problems` says why, all of it.

    missing: ids of the release that the file does not name, where it was read to its end.
    wait_seconds: when the same file may be welcome; None where waiting does not help.
    next_place: the instant of its sender's next place, where that is known.
    kept_id: where all of it is kept for the sender (refusals.py), set by who keeps it.
    recognised: for which release the file was read, a sentence, where its ids told it.
    """

    def __init__(
        self,
        problems: Iterable[Problem],
        *,
        missing: Iterable[str] = (),
        wait_seconds: int | None = None,
        next_place: datetime | None = None,
    ):
        self.problems, self.missing = tuple(problems), tuple(missing)
        self.wait_seconds, self.next_place = wait_seconds, next_place
        self.kept_id: uuid.UUID | None = None
        self.recognised = ""
        super().__init__(f"{len(self.problems)} problems")


def read_submission_file(
    *, release: Release, upload: Upload, sender: User | None = None, from_outside: bool = False
) -> PredictionReading:
    """What the release's protocol reads in a file. Ids of another release are named, with that
    release.

    A file `from_outside` is read in a process of its own, within limits; one of an operator or of
    ours in this one. Raises SubmissionRefusedError where the host reads as many files as it can, or
    another one of its sender.
    """
    read, questions = protocol_of(release).predictions.read, question_views(release)
    if from_outside:
        sender_id = sender.pk if sender else None
        with readers_refusal():
            reading = read_apart(read, upload, questions, sender_id=sender_id)
    else:
        reading = read(upload, questions)
    unknown = [problem.found for problem in reading.problems if problem.code == "unknown"]
    if not unknown:
        return reading
    is_foreign = any(one.code == "unknown" and one.line is None for one in reading.problems)
    known = releases_with_ids(unknown, None if is_foreign else release.benchmark_id)
    hints = [
        Problem(
            "other-release",
            f"{count} of the unknown ids belong to the release {slug!r}. Was it meant?",
        )
        for slug, count in sorted(known.items(), key=lambda item: -item[1])
        if slug != release.slug
    ]
    return replace(reading, problems=(*reading.problems, *hints[:1]))


@contextmanager
def readers_refusal() -> Iterator[None]:
    """A file that no reader looked at is refused for now."""
    try:
        yield
    except SenderBusyError:
        raise SubmissionRefusedError(
            [Problem("quota", SENDER_BUSY)], wait_seconds=RETRY_SECONDS
        ) from None
    except ReadersBusyError as error:
        busy = HOST_BUSY if isinstance(error, HostBusyError) else BUSY
        raise SubmissionRefusedError([Problem("busy", busy)], wait_seconds=RETRY_SECONDS) from None


def accept_submission(
    *,
    release: Release,
    upload: Upload,
    model: EvaluatedModel,
    owner: User | None,
    team: Team | None = None,
    origin: str = Submission.Origin.UPLOAD,
    visibility: str = Submission.Visibility.PRIVATE,
    client_token: uuid.UUID | None = None,
    confirm: bool = True,
    repeats_hidden_text: bool = False,
    from_outside: bool = False,
    received: datetime | None = None,
    notes: Sequence[Note] = (),
    replaces: Submission | None = None,
) -> Submission:
    """The file and each of its answers are stored afterwards. The same `client_token` again returns
    the first one. `model` is not stored itself: it has the name by which its owner knows it, and
    what is said of it where it is new. `received`: when it came, for content that has a history;
    now where it is None. `notes`: what its sender is told beside what the reader remarks. `team`:
    whose it is, where its sender, a member, hands it in for a team. `replaces`: an earlier one of
    the same owner or team, model and release, whose place it takes (replacing.py).

    What comes `from_outside`, over the network, is read in a process of its own and needs a place
    (quota.py). Raises SubmissionRefusedError, having stored nothing.
    """
    if client_token and (earlier := submission_of_token(owner, client_token)):
        return earlier
    clean_names(model)
    require_open(release)
    require_member(owner, team)
    now = received or timezone.now()
    submission = Submission(
        **upload_columns(upload),
        owner=owner,
        team=team,
        release=release,
        created=now,
        origin=origin,
        visibility=visibility if confirm else Submission.Visibility.PRIVATE,
        client_token=client_token or uuid.uuid4(),
        confirmed=now if confirm else None,
        repeats_hidden_text=repeats_hidden_text,
        is_spent=from_outside,
        replaces=replaces,
    )
    limited = owner if from_outside else None
    try:
        if limited:  # before the file costs a process; what counts is asked in the transaction
            require_place_or_draft(submission, model.name)
        reading = whole_reading(
            release=release, upload=upload, sender=owner, from_outside=from_outside
        )
        submission.reading_notes = all_notes(notes, reading, owner, model, team)
        texts = [(pk, reading.answers[key]) for pk, key in question_keys(release)]
        store_submission(submission, model, upload, texts, limited)
    except SameDraftError as known:
        return known.draft
    except (IntegrityError, SubmissionRefusedError):
        if twin := submission_of_token(owner, submission.client_token):
            return twin  # the same form sent twice: the other was quicker, and has the place
        raise
    find_near_equals_at_upload(submission=submission, answers=[text for _, text in texts])
    return submission


class SameDraftError(Exception):
    """The file was handed in before, and `draft` waits to be confirmed."""

    def __init__(self, draft: Submission):
        self.draft = draft
        super().__init__(str(draft.pk))


def require_place_or_draft(submission: Submission, model_name: str) -> None:
    """Raises SameDraftError where its owner, whom it must have, handed the same file in before;
    else as `require_place` does. Who is sent to their draft needs no other place."""
    assert submission.owner is not None
    if submission.confirmed is None:
        draft = same_draft(
            owner=submission.owner,
            sha256=submission.sha256,
            model_name=model_name,
            release=submission.release,
            team=submission.team,
            replaces=submission.replaces,
        )
        if draft is not None:
            raise SameDraftError(draft)
    require_place(submission.owner, submission.release, submission.team)


def require_open(release: Release) -> None:
    if not release.is_open:
        raise SubmissionRefusedError(
            [Problem("release", f"The release {release.slug!r} takes no submissions.")]
        )


def whole_reading(
    *, release: Release, upload: Upload, sender: User | None, from_outside: bool
) -> PredictionReading:
    """The reading of a file without problems. Raises SubmissionRefusedError."""
    reading = read_submission_file(
        release=release, upload=upload, sender=sender, from_outside=from_outside
    )
    if reading.problems:
        raise SubmissionRefusedError(reading.problems, missing=reading.missing)
    return reading


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that would be accepted, of which nothing is stored: neither `submission` nor
    `answers` are rows. `no_place`: why its sender could not hand it in now."""

    submission: Submission
    answers: Sequence[Answer]
    no_place: NoPlace | None


def check_file(
    *,
    release: Release,
    upload: Upload,
    model: EvaluatedModel,
    owner: User,
    team: Team | None = None,
    replaces: Submission | None = None,
    notes: Sequence[Note] = (),
) -> CheckedFile:
    """What `accept_submission` would make of a file from outside. Nothing is written, and no place
    is needed. Raises SubmissionRefusedError."""
    clean_names(model)
    require_member(owner, team)
    require_open(release)
    reading = whole_reading(release=release, upload=upload, sender=owner, from_outside=True)
    known = EvaluatedModel.objects.of(owner, team).filter(name=model.name).first()
    submission = Submission(
        owner=owner,
        team=team,
        release=release,
        replaces=replaces,
        model=known or model,
        **upload_columns(upload),
        reading_notes=all_notes(notes, reading, owner, model, team),
    )
    if replaces and (refusal := why_not_replace(submission, lock=False)):
        raise SubmissionRefusedError([refusal])
    answers = [
        Answer(
            submission=submission,
            question=question,
            text=reading.answers[question.public_id],
        )
        for question in release_questions(release)
    ]
    return CheckedFile(submission, answers, no_place(owner, release.pk, team=team))


def all_notes(
    notes: Sequence[Note],
    reading: PredictionReading,
    owner: User | None,
    model: EvaluatedModel,
    team: Team | None,
) -> list[dict[str, Any]]:
    """Notes to store: these, those on the file, and on the name and the facts of the model."""
    found = (*reading.notes, *name_notes(owner, model.name, team), *kept_notes(owner, model, team))
    return [asdict(note) for note in (*notes, *found)]


NAMES_COMPARED = 50
"""Writings of one name; popular models are handed in by many, nearly always in the same writing."""


def name_notes(owner: User | None, name: str, team: Team | None = None) -> Sequence[Note]:
    """One where the name is that of another account's public entry, or a reader may take it for
    that."""
    if owner is None or not (read_as := skeleton(name)):
        return ()
    alike = EvaluatedModel.objects.named_alike(read_as, owner, team).order_by("name")
    known = list(alike.values_list("name", flat=True)[:NAMES_COMPARED])
    if not known:
        return ()
    other = next((n for n in known if same_writing(n) != same_writing(name)), "")
    found = (
        f"The name is easily confused with “{other}”, under which another account has a public "
        f"entry."
        if other
        else f"Another account has a public entry under the name “{known[0]}”."
    )
    message = f"{found} If both are on one board, the later one is marked, and staff see it."
    return (Note("name-alike", message),)


def kept_notes(
    owner: User | None, given: EvaluatedModel, team: Team | None = None
) -> Sequence[Note]:
    """One where the owner has the model and now says something else of it: what was left empty
    says nothing."""
    known = EvaluatedModel.objects.of(owner, team).filter(name=given.name).first()
    if owner is None or known is None:
        return ()
    given_facts = {fact: getattr(given, fact) for fact in FACTS}
    differing = [
        title_of(f) for f, value in given_facts.items() if value and value != getattr(known, f)
    ]
    if not differing:
        return ()
    subject = "Your team has" if team else "You have"
    message = (
        f"{subject} a model “{given.name}”, and its page stays as it is. These facts of this "
        f"submission were not used: {', '.join(differing)}. You can change them on that page."
    )
    return (Note("model-kept", message),)


def require_member(owner: User | None, team: Team | None) -> None:
    """Raises SubmissionRefusedError where nobody may hand in for the team, or not this person."""
    if team is None:
        return
    members = Membership.objects.filter(team=team, team__closed__isnull=True)
    if owner is None or not members.filter(user=owner).exists():
        raise SubmissionRefusedError([Problem("team", "You are not a member of this team.")])


def require_place(owner: User, release: Release, team: Team | None = None) -> None:
    """Raises SubmissionRefusedError where the owner may hand in nothing to the release now, or not
    for this team."""
    now = timezone.now()
    if refusal := no_place(owner, release.pk, team=team, now=now):
        raise SubmissionRefusedError(
            [Problem("quota", f"{release.title}: {refusal.sentence}")],
            wait_seconds=refusal.wait_seconds(now),
            next_place=refusal.next_place,
        )


def clean_names(model: EvaluatedModel) -> None:
    """Those of the model are as others may read them afterwards. Raises SubmissionRefusedError with
    a problem for each that nobody may give."""
    problems = []
    for field in ("name", "organisation"):
        try:
            setattr(model, field, clean_name(getattr(model, field)))
        except NameRefusedError as error:
            problems.append(Problem(field, str(error), column=field))
    if not model.name:
        problems.append(Problem("name", "The model has no name.", column="name"))
    if problems:
        raise SubmissionRefusedError(problems)


def store_submission(
    submission: Submission,
    model: EvaluatedModel,
    upload: Upload,
    texts: Sequence[tuple[int, str]],
    limited: User | None = None,
) -> None:
    """File first, then rows in one transaction; the file goes again when the rows cannot be
    written. `texts`: primary key and answer of each question, in the order of the release. Raises
    SameDraftError too.

    The places of `limited` are counted in that transaction, one file after the other: of two that
    race for the last place, one gets it, and of two tabs with one file both the same draft.
    """
    suffix = PurePath(upload.name).suffix.lower()
    kept_suffix = suffix if suffix in KINDS else ""
    stored = loose.store_loose(f"{submission.id}{kept_suffix}", upload.content)
    submission.file.name = stored
    try:
        with transaction.atomic():
            loose.claim(stored)
            if submission.team:
                hold_team(submission.team)
                require_member(submission.owner, submission.team)
            if limited:
                hold_places(limited)
                require_place_or_draft(submission, model.name)
            submission.model = ensure_model(
                owner=submission.owner, team=submission.team, details=model
            )
            if submission.replaces_id and (refusal := why_not_replace(submission, lock=True)):
                raise SubmissionRefusedError([refusal])
            submission.save(force_insert=True)
            Answer.objects.bulk_create(
                (  # by keys: to set an object costs more than all the rest of an answer
                    Answer(submission_id=submission.pk, question_id=question, text=text)
                    for question, text in texts
                ),
                batch_size=500,
            )
    except BaseException:
        loose.drop(stored)
        raise


def hold_places(owner: User) -> None:
    """Until the transaction ends nobody else counts this owner's places. On SQLite every
    transaction that writes has the database to itself from its start."""
    User.objects.select_for_update(no_key=True).only("pk").get(pk=owner.pk)


def hold_team(team: Team) -> None:
    """Until the transaction ends nobody joins, leaves or hands in for this team. Who holds a person
    too holds the team first, or two would wait for each other."""
    Team.objects.select_for_update(no_key=True).only("pk").get(pk=team.pk)


def submission_of_token(owner: User | None, client_token: uuid.UUID) -> Submission | None:
    return Submission.objects.filter(owner=owner, client_token=client_token).first()


def upload_columns(upload: Upload) -> dict[str, str]:
    """What a submission keeps of its file beside the file itself."""
    sha256 = hashlib.sha256(upload.content).hexdigest()
    return {"file_name": shown_name(upload.name), "sha256": sha256}


def shown_name(name: str) -> str:
    """A file name fit for display: no control characters, at most 200 characters."""
    return "".join(
        c for c in name if c.isprintable() and c not in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068"
    )[:200]


def confirm_submission(*, submission: Submission, visibility: str) -> bool:
    """Judging may begin afterwards. False where it was confirmed or withdrawn before."""
    waiting = Submission.objects.filter(
        pk=submission.pk, confirmed__isnull=True, withdrawn__isnull=True
    )
    return bool(waiting.update(confirmed=timezone.now(), visibility=visibility))


def set_visibility(*, submission: Submission, visibility: str) -> bool:
    """False where it is withdrawn, or not confirmed: then nothing changed."""
    kept = Submission.objects.confirmed().not_withdrawn().filter(pk=submission.pk)
    return bool(kept.update(visibility=visibility))


def withdraw_submission(
    *, submission: Submission, now: datetime | None = None, reason: str = ""
) -> bool:
    """It leaves every board and stays as a tombstone, which tells the reason where it was public.
    False where it was withdrawn before. `now`: when, for content that has a history.

    Of one that was not confirmed nothing else stays but the answers that a dry run judged: whoever
    cancels takes no place, and what they handed in must not pile up.
    """
    kept = Submission.objects.filter(pk=submission.pk)
    at = now or timezone.now()
    with transaction.atomic():
        if kept.filter(confirmed__isnull=True).mark_withdrawn(at=at, file=""):
            answers = Answer.objects.filter(submission=submission.pk)
            answers.filter(judgements__isnull=True).delete()
            forget_sketch(submission=submission)
            loose.let_go(str(submission.file.name))
            return True
        return bool(kept.mark_withdrawn(at=at, withdrawal_reason=reason[:REASON_LENGTH]))


def restore_submission(*, submission: Submission) -> bool:
    """What was withdrawn stands again, for its owner alone, who may publish it; a baseline, which
    nobody owns, for all. False where it stands, or was never confirmed: the sweep would withdraw it
    again; and where it would replace what another one replaces."""
    withdrawn = Submission.objects.confirmed().filter(pk=submission.pk, withdrawn__isnull=False)
    others = Submission.objects.not_withdrawn().filter(replaces=OuterRef("replaces"))
    withdrawn = withdrawn.filter(~Exists(others))
    is_baseline = submission.origin == Submission.Origin.BASELINE
    visibility = Submission.Visibility.PUBLIC if is_baseline else Submission.Visibility.PRIVATE
    as_it_was = {"withdrawn": None, "withdrawal_reason": "", "replaced_by": None}
    return bool(withdrawn.update(**as_it_was, visibility=visibility))


def finish_submission(
    *, submission_id: uuid.UUID, has_failed: bool, at: datetime | None = None
) -> None:
    """It was judged to its end, and its owner has room for the next one. Where the site
    `has_failed` to judge it, it takes no place of the day either. Only the first end counts. `at`:
    when, for content that has a history."""
    ended = Submission.objects.filter(pk=submission_id, finished__isnull=True)
    if has_failed:
        ended.update(finished=at or timezone.now(), is_spent=False)
    else:
        ended.update(finished=at or timezone.now())


def ensure_model(
    *, owner: User | None, details: EvaluatedModel, team: Team | None = None
) -> EvaluatedModel:
    """The owner's model of that name, or the team's: who first handed it in is then its owner."""
    known = EvaluatedModel.objects.of(owner, team).filter(name=details.name).first()
    if known:
        return known if known.slug else with_slug(known)
    made = {fact: getattr(details, fact) for fact in FACTS}
    made["skeleton"] = skeleton(details.name)
    for slug in (free_slug(details.name, taken_slugs), random_slug(details.name)):
        try:
            model, _ = EvaluatedModel.objects.of(owner, team).get_or_create(
                name=details.name,
                defaults={**made, "owner": owner, "team": team, "slug": slug},
            )
        except IntegrityError:  # another model took the slug meanwhile; nobody takes a random one
            continue
        return model
    raise AssertionError("unreachable: a random slug was taken")


@transaction.atomic
def change_facts(
    *,
    model: EvaluatedModel,
    facts: Mapping[str, Any],
    by: User | None = None,
    by_staff: bool = False,
    reason: str = "",
) -> bool:
    """What is said of the model afterwards, on boards too, with a line in its history for each
    thing that is said otherwise. False where it was said before. Of a model with a verified entry
    the organisation stays as staff saw it."""
    known = EvaluatedModel.objects.select_for_update().get(pk=model.pk)
    wanted = dict(facts)
    if has_verified_entry(known):
        wanted["organisation"] = known.organisation
    changed = {name: value for name, value in wanted.items() if getattr(known, name) != value}
    if not changed:
        return False
    now = timezone.now()
    FactChange.objects.bulk_create(
        FactChange(
            model=known,
            field=name,
            before=fact_text(getattr(known, name)),
            after=fact_text(value),
            reason=reason[:REASON_LENGTH],
            changed=now,
            changed_by=by,
            by_staff=by_staff,
        )
        for name, value in changed.items()
    )
    EvaluatedModel.objects.filter(pk=model.pk).update(**changed, facts_changed=now)
    return True


def has_verified_entry(model: EvaluatedModel) -> bool:
    return model.submissions.filter(verification__is_verified=True).exists()


def with_slug(model: EvaluatedModel) -> EvaluatedModel:
    """A model that code from before there were slugs made has one afterwards."""
    slug = random_slug(model.name)
    EvaluatedModel.objects.filter(pk=model.pk, slug__isnull=True).update(slug=slug)
    model.refresh_from_db()
    return model


def taken_slugs(slugs: Collection[str]) -> Collection[str]:
    found = EvaluatedModel.objects.filter(slug__in=slugs).values_list("slug", flat=True)
    return {slug for slug in found if slug}
