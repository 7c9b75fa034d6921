"""Whether a judge may stand in for a person, by the studies there are: for its own benchmark, and
for those that the same model or the same kind of rules judges."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet, Window
from django.db.models.functions import RowNumber

from benchmarks.models import Benchmark
from benchmarks.registry import protocols
from benchmarks.statistics.replacing import LEAST_ITEMS, LEAST_RATERS, Answer
from judging.models import JudgeSpec
from leaderboard.models import StudyAnswer, StudyReport
from leaderboard.results.studies.titles import study_title
from leaderboard.web.pages.studies.cells import Cell, majority_cell, share_cell

MOST_SPECS = 50
"""Of the same model: each version of a prompt is one."""
MOST_STUDIES = 20
NO_CELL = Cell("")


@dataclass(frozen=True, slots=True)
class PeopleComparison:
    """For one benchmark, by one study and one thing that people were asked for; without a study
    `study`, `day` and `share` are None and the cells empty. judge: slug of the spec where it is
    another than the card's. missing: labels, at least. share: what `agreement` prints, of 1."""

    benchmark: str
    answer: str
    missing: int
    study: UUID | None = None
    title: str = ""
    day: datetime | None = None
    dimension: str = ""
    judge: str = ""
    is_made_up: bool = False
    agreement: Cell = NO_CELL
    people: Cell = NO_CELL
    share: float | None = None


def people_comparisons(spec: JudgeSpec) -> tuple[PeopleComparison, ...]:
    """The card's own benchmark first, then those of the site in their order; of each, its studies,
    the newest first, and where there is none that labels are missing. Benchmarks whose answers
    nobody is asked about are left out."""
    specs = {one.pk: one for one in (spec, *same_judge(spec)[:MOST_SPECS])}
    by_benchmark: defaultdict[str, list[StudyAnswer]] = defaultdict(list)
    for answer in newest_answers(specs)[:MOST_STUDIES]:
        by_benchmark[specs[answer.judge_spec_id].protocol].append(answer)
    titles = dict(Benchmark.objects.values_list("slug", "title"))
    ordered = sorted(protocols(), key=lambda slug: slug != spec.protocol)
    return tuple(
        row
        for slug in ordered
        if slug in titles and protocols()[slug].panel is not None
        for row in rows_of(titles[slug], by_benchmark[slug], specs, spec)
    )


NEWEST = "-report__file__created", "pk"


def newest_answers(specs: Iterable[int]) -> QuerySet[StudyAnswer]:
    """What studies that are shown say of these judges."""
    answers = StudyAnswer.objects.filter(
        StudyReport.is_readable("report__"),
        judge_spec__in=specs,
        report__file__withdrawn__isnull=True,
    ).select_related("report__file__study", "release")
    return answers.defer("report__parts").order_by(*NEWEST)


def own_studies(specs: Iterable[int]) -> Mapping[int, list[PeopleComparison]]:
    """The newest of each judge, without those of the same judge on other benchmarks. One query."""
    place = Window(RowNumber(), partition_by="judge_spec", order_by=NEWEST)
    found: defaultdict[int, list[PeopleComparison]] = defaultdict(list)
    for answer in newest_answers(specs).annotate(place=place).filter(place__lte=MOST_STUDIES):
        found[answer.judge_spec_id].append(comparison_of(answer))
    return found


def same_judge(spec: JudgeSpec) -> QuerySet[JudgeSpec]:
    """Those of other benchmarks."""
    others = JudgeSpec.objects.filter(kind=spec.kind).exclude(protocol=spec.protocol)
    if spec.has_usual_rules:
        return others.exclude(model__contains=" ").order_by("-created")
    if spec.is_offline:
        return others.filter(model__startswith=f"{spec.rules_name} ").order_by("-created")
    return others.filter(model=spec.model).order_by("-created")


def rows_of(
    title: str, answers: Iterable[StudyAnswer], specs: dict[int, JudgeSpec], card: JudgeSpec
) -> tuple[PeopleComparison, ...]:
    found = tuple(
        comparison_of(
            answer,
            title,
            "" if answer.judge_spec_id == card.pk else specs[answer.judge_spec_id].slug,
        )
        for answer in answers
    )
    return found or (PeopleComparison(title, Answer.NOT_ENOUGH.value, LEAST_RATERS * LEAST_ITEMS),)


def comparison_of(answer: StudyAnswer, benchmark: str = "", judge: str = "") -> PeopleComparison:
    return PeopleComparison(
        benchmark=benchmark,
        answer=answer.answer,
        missing=answer.missing,
        study=answer.report.file.report_id,
        title=study_title([answer.release.title], answer.report.file),
        day=answer.report.file.created,
        dimension=answer.dimension.replace("_", " "),
        judge=judge,
        is_made_up=answer.report.is_made_up,
        agreement=share_cell(answer.agreement),
        people=majority_cell(answer.people),
        share=answer.agreement[0],
    )
