"""Reports of studies, made by the sweeping thread and kept: no page counts a vote.

A report is made again where anything it was made of is another: which of its entries are public,
their scoresheets, and what raters said of attention checks. What it says is read with what is
public now, so that an entry that was just withdrawn is not named until it is.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max, QuerySet

from benchmarks.models import Release, ReleaseQuestion
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.panel.models import RatingFile
from judging.panel.studies.reports import beside_ratings
from leaderboard.models import Scoresheet, StudyAnswer, StudyReport
from leaderboard.results.selectors import public_sheets
from leaderboard.results.studies.report import Packed, study_report

VERSION = 6
"""Raised with what reports hold, so that all are made anew."""
AT_ONCE = 20
"""Reports of one round: of 600 answers by three people and five judges each takes a second."""


def refresh_reports() -> int:
    """How many reports were made anew. Each is stored by itself: one that fails keeps no other."""
    stamps = stamps_now()
    gone = set(StudyReport.of_any_schema.values_list("file", flat=True)) - stamps.keys()
    StudyReport.of_any_schema.filter(file__in=gone).delete()
    known = dict(StudyReport.objects.values_list("file", "stamp"))
    outdated = [key for key, (stamp, _) in stamps.items() if known.get(key) != stamp]
    files = RatingFile.objects.select_related("study__release").in_bulk(outdated[:AT_ONCE])
    for key, file in files.items():
        stamp, public = stamps[key]
        store_report(file, stamp, study_report(file, public))
    return len(files)


def stamps_now() -> dict[UUID, tuple[str, Sequence[UUID]]]:
    """Of every file that stands, what its report is made of, and which of its entries are
    public; of a study's files the oldest has the report of all."""
    through = RatingFile.submissions.through._default_manager
    rows = through.filter(ratingfile__withdrawn__isnull=True)
    # Agreement with people of judges who know the labels tells the labels of a hidden test.
    public = (
        rows.filter(submission__visibility="public", submission__withdrawn__isnull=True)
        .exclude(submission__release__disclosure=Release.Disclosure.HIDDEN_TEST)
        .order_by("submission")
    )
    entries: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for file, submission in public.values_list("ratingfile", "submission"):
        entries[file].append(submission)
    sheets: defaultdict[UUID, list[str]] = defaultdict(list)
    rated = rows.values("submission")
    scored = Scoresheet.objects.filter(public_sheets(), submission__in=rated).order_by("pk")
    for submission, key, computed in scored.values_list("submission", "pk", "computed"):
        sheets[submission].append(f"{key} {computed.isoformat()}")
    newest = newest_references(rated)
    by_file: defaultdict[UUID, list[int]] = defaultdict(list)
    of_file = rows.order_by("submission__release").values_list("ratingfile", "submission__release")
    for file, release in of_file.distinct():
        by_file[file].append(newest.get(release, 0))
    of_studies = files_of_studies()
    beside = beside_ratings(database_now())
    stamps: dict[UUID, tuple[str, Sequence[UUID]]] = {}
    for file, references in by_file.items():
        study, together = of_studies.get(file, (None, [file]))
        if file == together[0]:
            public_entries = sorted({entry for one in together for entry in entries[one]})
            checks = beside.get(study, []) if study else []
            stamp = stamp_of(together, public_entries, sheets, references, checks)
            stamps[file] = (stamp, public_entries)
    return stamps


def files_of_studies() -> Mapping[UUID, tuple[UUID, Sequence[UUID]]]:
    """By file of a study, that study and all of its files that are not withdrawn, the oldest
    first."""
    found = RatingFile.objects.not_withdrawn().filter(study__isnull=False)
    by_study: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for file, study in found.order_by("created", "pk").values_list("pk", "study"):
        by_study[study].append(file)
    return {file: (study, files) for study, files in by_study.items() for file in files}


def newest_references(rated: QuerySet[Any, Any]) -> Mapping[int, int]:
    """By release of these submissions: what was said under an older one counts no more, and no
    sheet tells of it where the judge is not asked again."""
    releases = Submission.objects.filter(pk__in=rated).order_by().values("release")
    members = ReleaseQuestion.objects.filter(
        release__in=releases, question__references__version__gt=1
    )
    newest = members.order_by().values_list("release").annotate(Max("question__references"))
    return dict(newest)


def stamp_of(
    files: Sequence[UUID],
    entries: Sequence[UUID],
    sheets: Mapping[UUID, Sequence[str]],
    references: Sequence[int],
    checks: Sequence[int],
) -> str:
    about = [VERSION, references, checks, [str(file) for file in files]]
    made_of = [*about, *([str(entry), *sheets.get(entry, [])] for entry in entries)]
    return hashlib.sha256(json.dumps(made_of).encode()).hexdigest()


@transaction.atomic
def store_report(file: RatingFile, stamp: str, parts: Sequence[Packed]) -> None:
    report, _ = StudyReport.of_any_schema.update_or_create(
        file=file,
        defaults={
            "stamp": stamp,
            "parts": parts,
            "is_shown": bool(parts),
            "is_made_up": bool(parts) and file.study is None and not is_handed_in(file),
            "computed": database_now(),
        },
    )
    report.answers.all().delete()
    StudyAnswer.objects.bulk_create(
        answer_of(report, part, judge) for part in parts for judge in part["judges"]
    )


def is_handed_in(file: RatingFile) -> bool:
    """Whether any of what was rated is no sample that ships with the project."""
    return file.submissions.exclude(origin=Submission.Origin.SAMPLE).exists()


def answer_of(report: StudyReport, part: Packed, judge: Packed) -> StudyAnswer:
    replacing = judge["replacing"]
    return StudyAnswer(
        report=report,
        judge_spec_id=judge["spec"],
        release_id=part["release"],
        dimension=part["dimension"],
        answer=replacing["answer"],
        missing=replacing["missing"],
        agreement=judge["whole"]["like_majority"],
        people=judge["whole"]["people"],
    )


# --- reading --------------------------------------------------------------------------------------


def shown_parts(report: StudyReport) -> list[dict[str, Any]]:
    """The parts of a report without entries that are not public any more."""
    named = {key for part in report.parts for key in part["models"]}
    public = {str(key) for key in public_among(named)}

    def kept(models: Mapping[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in models.items() if key in public}

    return [
        {
            **part,
            "models": kept(part["models"]),
            "judges": [{**j, "models": kept(j["models"])} for j in part["judges"]],
        }
        for part in report.parts
    ]


def public_among(keys: set[str]) -> list[UUID]:
    found = Submission.objects.public().filter(pk__in=[UUID(key) for key in keys])
    return list(found.values_list("pk", flat=True))
