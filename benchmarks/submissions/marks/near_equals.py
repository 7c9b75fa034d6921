"""Finding the submissions whose answers a submission nearly repeats: for staff, and for whoever
hands it in."""

import secrets
from collections import Counter
from collections.abc import Sequence

import numpy as np
from django.db import transaction
from django.db.models import Count

from benchmarks.models import Release
from benchmarks.selectors import protocol_of
from benchmarks.submissions.marks.common_words import without_common_words
from benchmarks.submissions.marks.sketches import (
    Hashes,
    band_keys,
    equal_answers,
    is_near,
    sketch_of,
)
from benchmarks.submissions.models import (
    AnswerBand,
    AnswerSketch,
    NearEqual,
    SketchSecret,
    Submission,
)

MOST_IN_A_BAND = 20
"""Submissions that a band remembers. One file sent a thousand times, or constant answers, share
every band: what comes later finds those twenty, and a copy of it that differs from them has bands
of its own."""
MOST_COMPARED = 40
"""Of those that share a band, the ones that share most are compared answer by answer."""
MOST_KEPT = 10
NEAR_EQUAL = "near-equal"
DETAILS = "apart from details such as capitals and punctuation"
"""Of equal answers: what `equal_form` of every protocol leaves out."""
MOST_AT_UPLOAD = 2_000_000
"""Characters of a file whose answers are compared while its sender waits, of what they say or of
what is compared of it, whichever is longer: half a second, and six where they are chosen to be
slow. HallusionBench has a fifth of it. Larger ones are compared before they are scored."""


def find_near_equals_at_upload(*, submission: Submission, answers: Sequence[str]) -> None:
    """`find_near_equals`, unless there is too much to read while somebody waits."""
    if sum(map(len, answers)) > MOST_AT_UPLOAD:
        return
    equal_form = protocol_of(submission.release).equal_form
    forms: list[str] = []
    room = MOST_AT_UPLOAD
    for text in answers:
        forms.append(equal_form(text))
        room -= max(len(text), len(forms[-1]))
        if room < 0:
            return
    find_near_equals(submission=submission, answers=without_common_words(forms))


def find_near_equals(*, submission: Submission, answers: Sequence[str]) -> None:
    """The submission has its sketch and bands afterwards, and a row for each it nearly equals, the
    most equal first, at most ten; among its notes stand those of them that its owner may see.

    answers: the equal form of each without common words, in the order of the release. Baselines are
    compared with nothing, nor anything with them. Again for the same submission changes nothing,
    unless what is compared changed.
    """
    if submission.origin == Submission.Origin.BASELINE:
        return
    sketch = sketch_of(answers)
    known = AnswerSketch.objects.filter(submission=submission).values_list("hashes", flat=True)
    if any(bytes(hashes) == sketch.tobytes() for hashes in known):
        return
    keys = band_keys(sketch, secret_of(submission.release))
    found = nearest(submission, sketch, keys)
    notes = [near_note(near) for near in found if is_seen(near.other, submission)]
    with transaction.atomic():
        if known:  # by older rules
            forget_own_sketch(submission)
        _, is_new = AnswerSketch.objects.get_or_create(
            submission=submission, defaults={"hashes": sketch.tobytes()}
        )
        if not is_new:
            return
        full = (
            AnswerBand.objects.filter(key__in=keys)
            .values_list("key")
            .annotate(rows=Count("pk"))
            .filter(rows__gte=MOST_IN_A_BAND)
        )
        room = set(keys) - {key for key, _ in full}
        AnswerBand.objects.bulk_create(AnswerBand(submission=submission, key=key) for key in room)
        NearEqual.objects.bulk_create(found)
        if notes:
            others = [note for note in submission.reading_notes if note["code"] != NEAR_EQUAL]
            submission.reading_notes = [*others, *notes]
            submission.save(update_fields=["reading_notes"])


def nearest(submission: Submission, sketch: Hashes, keys: Sequence[int]) -> list[NearEqual]:
    """Not stored yet."""
    sharing = (
        AnswerBand.objects.filter(key__in=keys)
        .exclude(submission=submission)
        .values_list("submission", flat=True)
    )
    likely = [pk for pk, _ in Counter(sharing).most_common(MOST_COMPARED)]
    others = AnswerSketch.objects.filter(
        submission__in=likely, submission__release=submission.release
    ).select_related("submission__model")
    found = [
        NearEqual(submission=submission, other=other.submission, equal=equal, of=len(sketch))
        for other in others
        if is_near(
            equal := equal_answers(sketch, np.frombuffer(other.hashes, dtype="<u4")), len(sketch)
        )
    ]
    return sorted(found, key=lambda near: (-near.equal, near.other.created))[:MOST_KEPT]


def is_seen(other: Submission, submission: Submission) -> bool:
    """Whether the owner of `submission` may know of the other one: it is public, or theirs."""
    is_public = other.visibility == Submission.Visibility.PUBLIC and other.withdrawn is None
    return is_public or is_of_one_holder(other, submission)


def is_of_one_holder(other: Submission, submission: Submission) -> bool:
    """Whether both are of one team, or of one person and no team."""
    is_own = submission.owner_id is not None and other.owner_id == submission.owner_id
    return other.team_id == submission.team_id and (is_own or submission.team_id is not None)


def near_note(near: NearEqual) -> dict[str, str]:
    is_own = is_of_one_holder(near.other, near.submission)
    subject = "your submission" if is_own else "the entry"
    name = f"{subject} “{near.other.model.name}”"
    if near.equal == near.of:
        message = (
            f"Every answer is equal to that of {name}, {DETAILS}. Entries of equal answers share "
            "one place on a board."
        )
    else:
        message = (
            f"{near.equal:,} of {near.of:,} answers are equal to those of {name}, {DETAILS}. Staff "
            "see this too."
        )
    return {"code": NEAR_EQUAL, "message": message}


def forget_sketch(*, submission: Submission) -> None:
    """Of a cancelled upload nothing is compared any more."""
    forget_own_sketch(submission)
    NearEqual.objects.filter(other=submission).delete()


def forget_own_sketch(submission: Submission) -> None:
    AnswerSketch.objects.filter(submission=submission).delete()
    AnswerBand.objects.filter(submission=submission).delete()
    NearEqual.objects.filter(submission=submission).delete()


def secret_of(release: Release) -> bytes:
    found, _ = SketchSecret.objects.get_or_create(
        release=release, defaults={"secret": secrets.token_hex(16)}
    )
    return bytes.fromhex(found.secret)
