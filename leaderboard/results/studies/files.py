"""A report as files: one document, and a table with a row per figure."""

from collections.abc import Iterator
from typing import Any

from benchmarks.models import Release
from judging.models import JudgeSpec
from leaderboard.models import StudyReport
from leaderboard.results.studies.report import Packed, rater_number
from leaderboard.results.studies.stored import shown_parts
from leaderboard.results.studies.titles import study_code

FIGURE = ("value", "low", "high", "n", "items", "groups", "items_missing")
COLUMNS = ("study", "release", "dimension", "scope", "of", "judge", "measure", *FIGURE)


def study_document(report: StudyReport) -> dict[str, Any]:
    """Figures as objects, releases and judges by their slugs."""
    parts = shown_parts(report)
    releases, judges = slugs_of(parts)
    return {
        "id": str(report.file.report_id),
        "study": study_code(report.file),
        "rated": report.file.created.isoformat(),
        "computed": report.computed.isoformat(),
        "parts": [
            with_slugs(part, judges) | {"release": releases[part["release"]]} for part in parts
        ],
    }


def with_slugs(part: Packed, judges: dict[int, str]) -> Packed:
    """With its judges by their slugs, those of the other result among them."""
    found: Packed = unpacked({k: v for k, v in part.items() if k not in ("judges", "checks")})
    found["judges"] = [
        {**unpacked({k: v for k, v in one.items() if k != "spec"}), "judge": judges[one["spec"]]}
        for one in part["judges"]
        if one["spec"] in judges
    ]
    if checks := part.get("checks"):
        beside = checks["beside"]
        found["checks"] = checks | {"beside": with_slugs(beside, judges) if beside else None}
    return found


def slugs_of(parts: list[Packed]) -> tuple[dict[int, str], dict[int, str]]:
    releases = Release.objects.filter(pk__in={part["release"] for part in parts})
    specs = JudgeSpec.objects.filter(pk__in={j["spec"] for part in parts for j in part["judges"]})
    return dict(releases.values_list("pk", "slug")), dict(specs.values_list("pk", "slug"))


def unpacked(value: Any) -> Any:
    if is_figure(value):
        return dict(zip(FIGURE, value, strict=True))
    if isinstance(value, dict):
        return {key: unpacked(one) for key, one in value.items()}
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    return value


def is_figure(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == len(FIGURE)
        and all(isinstance(one, int) for one in value[3:])
    )


def figure_rows(report: StudyReport) -> Iterator[tuple[Any, ...]]:
    parts = shown_parts(report)
    releases, judges = slugs_of(parts)
    study = study_code(report.file)
    for part in parts:
        head = (study, releases[part["release"]], part["dimension"])
        for scope, of, judge, found in places(part, judges):
            for measure, figure in found.items():
                if is_figure(figure):
                    yield (*head, scope, of, judge, measure, *figure)


def places(part: Packed, judges: dict[int, str]) -> Iterator[tuple[str, str, str, Packed]]:
    """Scope, of what, judge, and the figures there; the judge is empty of people."""
    yield "all", "", "", part["people"]
    for kind in ("abilities", "models"):
        for key, found in part[kind].items():
            yield kind, key, "", found
    for place, found in enumerate(part["each"], start=1):
        yield "raters", f"rater {rater_number(found, place)}", "", found
    for pair in part["pairs"]:
        yield "pairs", " and ".join(f"rater {n}" for n in pair["raters"]), "", pair
    for one in part["judges"]:
        slug = judges.get(one["spec"], "")
        yield "all", "", slug, one["whole"]
        for kind in ("abilities", "models"):
            for key, found in one[kind].items():
                yield kind, key, slug, found
    if beside := part.get("checks", {}).get("beside"):
        yield "other raters", "", "", beside["people"]
        for one in beside["judges"]:
            yield "other raters", "", judges.get(one["spec"], ""), one["whole"]
