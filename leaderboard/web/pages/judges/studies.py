"""Whether a judge may stand in for a person, by the studies there are: for its own benchmark, and
for those that the same model or the same kind of rules judges."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet, Window
from django.db.models.functions import RowNumber

from benchmarks.models import Benchmark
from benchmarks.registry import protocols
from judging.models import JudgeSpec
from leaderboard.models import StudyAnswer, StudyReport
from leaderboard.results.studies.titles import study_title

MOST_SPECS = 50
"""Of the same model: each version of a prompt is one."""
MOST_STUDIES = 20


def people_rows(spec: JudgeSpec) -> list[dict[str, Any]]:
    """The card's own benchmark first, then those of the site in their order; of each, what its
    studies say, the newest first, and where there is none an `answer` of None. Benchmarks whose
    answers nobody is asked about are left out."""
    specs = {one.pk: one for one in (spec, *same_judge(spec)[:MOST_SPECS])}
    by_benchmark: defaultdict[str, list[StudyAnswer | None]] = defaultdict(list)
    for answer in newest_answers(specs)[:MOST_STUDIES]:
        by_benchmark[specs[answer.judge_spec_id].protocol].append(answer)
    titles = dict(Benchmark.objects.values_list("slug", "title"))
    return [
        {
            "benchmark": titles[slug],
            "answer": answer,
            "title": study_title([answer.release.title], answer.report.file) if answer else "",
            "dimension": answer.dimension.replace("_", " ") if answer else "",
        }
        for slug in sorted(protocols(), key=lambda slug: slug != spec.protocol)
        if slug in titles and protocols()[slug].panel is not None
        for answer in by_benchmark[slug] or [None]
    ]


NEWEST = "-report__file__created", "pk"


def newest_answers(specs: Iterable[int]) -> QuerySet[StudyAnswer]:
    """What studies that are shown say of these judges."""
    answers = StudyAnswer.objects.filter(
        StudyReport.is_readable("report__"),
        judge_spec__in=specs,
        report__file__withdrawn__isnull=True,
    ).select_related("report__file__study", "release", "judge_spec")
    return answers.defer("report__parts").order_by(*NEWEST)


def own_studies(specs: Iterable[int]) -> Mapping[int, list[StudyAnswer]]:
    """The newest of each judge, without those of the same judge on other benchmarks. One query."""
    place = Window(RowNumber(), partition_by="judge_spec", order_by=NEWEST)
    found: defaultdict[int, list[StudyAnswer]] = defaultdict(list)
    for answer in newest_answers(specs).annotate(place=place).filter(place__lte=MOST_STUDIES):
        found[answer.judge_spec_id].append(answer)
    return found


def same_judge(spec: JudgeSpec) -> QuerySet[JudgeSpec]:
    """Those of other benchmarks."""
    others = JudgeSpec.objects.filter(kind=spec.kind).exclude(protocol=spec.protocol)
    if spec.has_usual_rules:
        return others.exclude(model__contains=" ").order_by("-created")
    if spec.is_offline:
        return others.filter(model__startswith=f"{spec.rules_name} ").order_by("-created")
    return others.filter(model=spec.model).order_by("-created")
