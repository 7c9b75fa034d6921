"""Studies as tests make them: a release of spelled words, whose answers people call right, wrong or
unclear."""

import io
import json
import uuid
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from django.contrib.auth.models import User

from benchmarks.models import Question, Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel, Submission
from benchmarks.submissions.samples.floor import set_floor_version
from benchmarks.submissions.services import accept_submission
from judging.panel.models import Study, StudyItem, StudyRater
from judging.panel.studies.handing_out import give_out
from judging.panel.studies.lifecycle import open_study
from judging.panel.studies.plans import create_study
from judging.panel.studies.voting import Cast, cast_vote
from tests.conftest import import_words, submit


def words(count: int, slug: str = "words") -> Release:
    return import_words(range(1, count + 1), slug=slug)


def spelled(release: Release, owner: User, name: str = "Speller") -> Submission:
    count = release.question_count
    answers = "".join(f"{n}=word{n}\n" for n in range(1, count + 1)).encode()
    return submit(release, owner, answers, name)


def study_of(
    entries: Sequence[Submission], *, raters: int = 3, is_open: bool = True, **kinds
) -> Study:
    """With its raters 1 to `raters`."""
    release = entries[0].release
    made = {
        "title": "Does the judge spell?",
        "questionnaire": "correct",
        "size": release.question_count,
        "seed": 7,
        "check_every": 0,
        **kinds,
    }
    study = create_study(release=release, submissions=entries, **made)
    StudyRater.objects.bulk_create(
        StudyRater(study=study, number=n, name=f"Person {n}") for n in range(1, raters + 1)
    )
    return open_study(study=study) if is_open else study


def raters_of(study: Study) -> list[StudyRater]:
    return list(study.raters.select_related("study__release__benchmark").order_by("number"))


def next_item(rater: StudyRater, now) -> StudyItem:
    """What stands first before this rater."""
    return give_out(rater, now)[0].item


def vote(rater: StudyRater, item: StudyItem | int, value: int = 1, *, now=None, key=None) -> Cast:
    return cast_vote(
        rater=rater,
        item=item if isinstance(item, int) else item.pk,
        values={"correct": value},
        key=key or uuid.uuid4(),
        now=now,
    )


def vote_on_all(rater: StudyRater, value: int = 1, *, most: int = 1_000, now: datetime) -> int:
    """Everything there is for this rater, or so many, in their order; how many votes that were."""
    count = 0
    while given := give_out(rater, now)[: most - count]:
        for assignment in given:
            vote(rater, assignment.item_id, value, now=now)
        count += len(given)
    return count


def compared(owner: User) -> list[Submission]:
    """Two entries of TouchStone's own small release, without its pictures."""
    return bundled_entries("touchstone", owner)


def bundled_entries(family: str, owner: User, *, samples_of: str = "") -> list[Submission]:
    """Two entries of a family's own small release, without its pictures. `samples_of`: another
    family, whose samples answer the same questions and others, where it has none."""
    kind = protocol(family)
    release = import_release(
        protocol=kind,
        stream=io.BytesIO(kind.bundled[0].dataset.read_bytes()),
        slug="bundled",
    ).release
    set_floor_version(release)
    return [
        accept_submission(
            release=release,
            upload=Upload(
                sample.file.name,
                answers_to(release, sample.file) if samples_of else sample.file.read_bytes(),
            ),
            model=EvaluatedModel(name=f"Tellingname {number}"),
            owner=owner,
            visibility="public",
        )
        for number, sample in enumerate(protocol(samples_of or family).bundled[0].samples[:2])
    ]


def answers_to(release: Release, file: Path) -> bytes:
    """The lines with an id that are about its questions."""
    known = set(Question.objects.of_release(release).values_list("public_id", flat=True))
    lines = file.read_bytes().splitlines(keepends=True)
    return b"".join(line for line in lines if json.loads(line)["id"] in known)
