"""The list of studies, the report of one, and its figures as files.

Templates read a report as it is stored, with what its keys name in their place, and print its
figures with leaderboard/templatetags/study_figures.py.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from benchmarks.models import Ability, Release
from benchmarks.statistics.agreement import LEAST_GROUPS, LEAST_ITEMS, Level
from benchmarks.statistics.replacing import LEAST_ITEMS as LEAST_LABELS
from benchmarks.statistics.replacing import LEAST_RATERS, Answer
from benchmarks.submissions.models import Submission
from judging.coordination.clock import database_now
from judging.models import JudgeSpec
from judging.panel.models import Study
from leaderboard.models import StudyReport
from leaderboard.results.formatting import MISSING
from leaderboard.results.studies.bars import NARROW, WIDE, Bar, BarRow, draw_bars
from leaderboard.results.studies.files import COLUMNS, figure_rows, study_document
from leaderboard.results.studies.report import Packed, rater_number
from leaderboard.results.studies.stored import is_handed_in
from leaderboard.results.studies.titles import about_study, study_title
from leaderboard.web.pages.judges.judge import judge_title
from leaderboard.web.pages.studies.cells import ONE_ANSWER, percent

MOST_STUDIES = 100
"""On the list, the newest: each is read whole, tens of kilobytes."""

MOST_NAMED = 3


@require_safe
def studies(request: HttpRequest) -> HttpResponse:
    return render(request, "studies/studies.html", {"page": studies_page()})


@require_safe
def study(request: HttpRequest, file_id: UUID) -> HttpResponse:
    """A judge that is none of the study's is the first. A file of a study leads to the study."""
    report = shown_report(file_id)
    if report.file.report_id != file_id:
        return redirect("study", report.file.report_id)
    page = study_page(report, request.GET.get("judge", ""))
    return render(request, "studies/study.html", {"page": page})


@require_safe
def study_file(request: HttpRequest, file_id: UUID, kind: str) -> HttpResponse:
    report = shown_report(file_id)
    if kind == "json":
        return JsonResponse(study_document(report))
    if kind != "csv":
        raise Http404("There is no such file.")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(figure_rows(report))
    return HttpResponse(
        out.getvalue(),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="study-{file_id}.csv"'},
    )


def shown_report(key: UUID) -> StudyReport:
    """By the file, or by the study: its report stays where it is when its files are replaced."""
    of_study = Q(file__study=key) | Q(file__study__files=key)
    found: StudyReport | None = reports().filter(Q(file=key) | of_study).first()
    if found is None:
        raise Http404("There is no such study.")
    return found


def reports() -> Any:
    """Those that everybody may see, the newest first."""
    return (
        StudyReport.objects.filter(is_shown=True, file__withdrawn__isnull=True)
        .select_related("file__study")
        .order_by("-file__created", "file")
    )


def named_parts(found: Sequence[StudyReport]) -> list[list[dict[str, Any]]]:
    """The parts of each report with the names of what they are about, without judges that there are
    not any more and entries that are not public now. Four queries."""
    parts = [part for report in found for part in report.parts]
    releases = Release.objects.in_bulk({part["release"] for part in parts})
    specs = JudgeSpec.objects.select_related("prompt_set").in_bulk(
        {judge["spec"] for part in parts for judge in part["judges"]}
    )
    entries = Submission.objects.public().filter(pk__in={k for p in parts for k in p["models"]})
    models = {str(key): name for key, name in entries.values_list("pk", "model__name")}
    abilities = {
        (benchmark, slug): title
        for benchmark, slug, title in Ability.objects.filter(
            benchmark__slug__in={part["benchmark"] for part in parts}
        ).values_list("benchmark__slug", "slug", "title")
    }

    def named(part: Packed) -> dict[str, Any]:
        return {
            **part,
            "release": releases[part["release"]],
            "judges": [
                {**judge, "spec": spec, "title": judge_title(spec)}
                for judge in part["judges"]
                if (spec := specs.get(judge["spec"]))
            ],
            "models": {
                key: {**figures, "name": models[key], "entry": key}
                for key, figures in part["models"].items()
                if key in models
            },
            "abilities": {
                key: {**figures, "name": abilities.get((part["benchmark"], key), key)}
                for key, figures in part["abilities"].items()
            },
        }

    return [[named(part) for part in report.parts] for report in found]


# --- the list -------------------------------------------------------------------------------------


def studies_page() -> dict[str, Any]:
    """more: older ones that are not listed."""
    found = list(reports()[:MOST_STUDIES])
    parts = named_parts(found)
    real = [some[0] for report, some in zip(found, parts, strict=True) if not report.is_made_up]
    return {
        "answer": answer_of(real),
        "lines": [study_line(*one) for one in zip(found, parts, strict=True)],
        "more": reports().count() - len(found) if len(found) == MOST_STUDIES else 0,
    }


def answer_of(studies: Sequence[Packed]) -> str:
    """How far people and judges agree, by the first part of each study that is not made up."""
    if not studies:
        return "No study with real votes yet: those below are made up, to show what one reports."
    several = [one for one in studies if one["raters"] > 1]
    if not several:
        return "No study has several raters yet, so there is no agreement to report."
    people = between(one["people"]["like_majority"][0] for one in several)
    judges = [judge for one in several for judge in one["judges"]]
    own = between(judge["whole"]["like_majority"][0] for judge in judges)
    able = sum(judge["replacing"]["answer"] == Answer.YES for judge in judges)
    return (
        f"People vote with the majority in {people} of their votes, and judges agree with it in "
        f"{own} of the answers. {able:,} of {len(judges):,} judges proved able to replace a rater."
    )


def between(shares: Iterable[float | None]) -> str:
    """ "75 % to 89 %" """
    known = sorted(share for share in shares if share is not None)
    if not known:
        return "an unknown share (too few raters)"
    least, most = percent(known[0]), percent(known[-1])
    return least if least == most else f"{least} to {most}"


def study_line(report: StudyReport, parts: Sequence[Packed]) -> dict[str, Any]:
    """models: "Lucid 9B, Parrot 7B and 3 more"."""
    models = list(dict.fromkeys(model["name"] for model in parts[0]["models"].values()))
    more = len(models) - MOST_NAMED
    return {
        **titles_of(report, parts),
        "report": report,
        "part": parts[0],
        "asked": ", ".join(part["asked"]["title"] for part in parts),
        "votes": sum(part["votes"] for part in parts),
        "models": ", ".join(models[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else ""),
    }


def titles_of(report: StudyReport, parts: Sequence[Packed]) -> dict[str, str]:
    releases = [part["release"].title for part in parts]
    return {
        "title": study_title(releases, report.file),
        "about": about_study(releases, report.file) if report.file.study else "",
    }


# --- a report -------------------------------------------------------------------------------------


KAPPAS = {
    Level.NOMINAL: "Cohen's kappa",
    Level.ORDINAL: "Linearly weighted Cohen's kappa",
    Level.INTERVAL: "Linearly weighted Cohen's kappa",
}

ALPHAS = {
    Level.NOMINAL: "Krippendorff's alpha, nominal",
    Level.ORDINAL: "Krippendorff's alpha, ordinal",
    Level.INTERVAL: "Krippendorff's alpha, interval",
}

DIFFERENCES = {
    Level.NOMINAL: "any two different answers differ by the same amount",
    Level.ORDINAL: "the difference of two answers grows with the votes between them (squared)",
    Level.INTERVAL: "the difference of two answers is their distance on the scale (squared)",
}


def study_page(report: StudyReport, judge: str = "") -> dict[str, Any]:
    """judge: slug of the one to draw; the first where there is none of that name. late_until: till
    when votes are still taken; late: votes in the figures that came after the end; is_unsettled:
    some are in no figure yet."""
    file, study = report.file, report.file.study
    (named,) = named_parts([report])
    parts = [study_part(part, place, judge) for place, part in enumerate(named, start=1)]
    return {
        **titles_of(report, parts),
        "report": report,
        "day": (study.closed if study else None) or file.created,
        "is_of_samples": not report.is_made_up and not is_handed_in(file),
        "late_until": study.late_until if study and study.takes_votes(database_now()) else None,
        "late": max((part.get("late", 0) for part in parts), default=0),
        "is_unsettled": study is not None and study.unsettled is not None,
        "is_alone": all(part["is_alone"] for part in parts),
        "parts": parts,
        "least_items": LEAST_ITEMS,
        "least_groups": LEAST_GROUPS,
        "least_raters": LEAST_RATERS,
        "least_labels": LEAST_LABELS,
    }


def study_part(part: Packed, place: int, asked: str) -> dict[str, Any]:
    """One question that people were asked about answers of one release. `chosen` is the judge whose
    bars are drawn, if there is any. is_alone: one person rated, so that nothing can be said of
    people among each other."""
    judges = part["judges"]
    chosen = next((judge for judge in judges if judge["spec"].slug == asked), None)
    chosen = chosen or next(iter(judges), None)
    # Reports of before do not say it, for as long as a worker needs to make them anew.
    level = Level(part.get("level", Level.NOMINAL))
    abilities, models = (scope_rows(part[kind], kind, chosen) for kind in ("abilities", "models"))
    drawn = (("By ability", abilities), ("By model", models))
    return {
        **part,
        "slug": f"part-{place}",
        "chosen": chosen,
        "epsilon": f"{100 * chosen['replacing']['epsilon']:.0f}" if chosen else "",
        "is_alone": part["raters"] == 1,
        "is_weighted": level is not Level.NOMINAL,
        "kappa": KAPPAS[level],
        "alpha": ALPHAS[level],
        "differences": DIFFERENCES[level],
        "cohen": cohen_words(part["pairs"], "kappa"),
        "cohen_unweighted": ""
        if level is Level.NOMINAL
        else cohen_words(part["pairs"], "kappa_unweighted"),
        "checks": checks_of(part, chosen),
        "abilities": abilities,
        "models": models,
        "charts": [chart(title, rows) for title, rows in drawn if rows],
        "each": rater_rows(part, chosen),
    }


def scope_rows(
    scopes: Mapping[str, Packed], kind: str, judge: Packed | None
) -> list[dict[str, Any]]:
    """Abilities or models: what people said, and how far the judge agrees with them on the same
    answers."""
    of_judge = judge[kind] if judge else {}
    return [
        {**people, "judge": of_judge[key]["like_majority"] if key in of_judge else None}
        for key, people in scopes.items()
    ]


def checks_of(part: Packed, judge: Packed | None) -> dict[str, Any] | None:
    """What failing attention checks led to: `judge` is what the result beside says of the one that
    is drawn. None where nobody failed one, and of files from elsewhere."""
    found = part.get("checks")
    if not found:
        return None
    others = found["beside"]["judges"] if found["beside"] else []
    return {
        **found,
        "is_left_out": found["rule"] == Study.Failing.LEFT_OUT,
        "is_marked": found["rule"] == Study.Failing.MARKED,
        "judge": next((one for one in others if judge and one["spec"] == judge["spec"].pk), None),
    }


def cohen_words(pairs: Sequence[Packed], key: str) -> str:
    """ "0.61 on average of 3 pairs of raters, 0.52 to 0.70", and how many are left out because it
    says nothing of them; empty where no pair has enough items."""
    known = [one[key][0] for one in pairs if one[key][1] is not None]
    silent = sum(one[key][0] is None and not one[key][6] for one in pairs)
    left_out = (
        f"{silent:,} {'pairs' if silent > 1 else 'pair'} with somebody who gives {ONE_ANSWER}"
    )
    if not known:
        return f"unknown for {left_out}" if silent else ""
    mean = sum(known) / len(known)
    of = f"{len(known):,} pairs of raters" if len(known) > 1 else "one pair of raters"
    between = f", {min(known):.2f} to {max(known):.2f}" if len(known) > 1 else ""
    without = f"; left out: {left_out}" if silent else ""
    return f"{mean:.2f} {'on average of' if len(known) > 1 else 'of'} {of}{between}{without}"


def rater_rows(part: Packed, judge: Packed | None) -> list[dict[str, Any]]:
    """replaced: whether the judge beats this person; empty where there are too few labels of
    all."""
    against = {one["rater"]: one for one in judge["replacing"]["people"]} if judge else {}
    has_labels = judge is not None and not judge["replacing"]["missing"]
    rows = []
    for place, one in enumerate(part["each"], start=1):
        number = rater_number(one, place)
        replaced = replaced_words(against.get(number)) if has_labels else ""
        rows.append({**one, "number": number, "replaced": replaced})
    return rows


def replaced_words(one: Packed | None) -> str:
    if one is None or one["p"] is None:
        return "too few labels"
    return "yes" if one["is_beaten"] else "no"


def chart(title: str, rows: Sequence[Packed]) -> dict[str, Any]:
    bars = [
        BarRow(
            row["name"],
            tuple(
                bar_of(kind, figure)
                for kind, figure in (("judge", row["judge"]), ("people", row["like_majority"]))
                if figure
            ),
        )
        for row in rows
    ]
    label = f"{title}, agreement in percent: {', '.join(row.name for row in bars)}. "
    label += "The table below lists every value."
    drawn = [draw_bars(bars, sides, label=label) for sides in (WIDE, NARROW)]
    return {"title": title, "drawn": drawn}


def bar_of(kind: str, figure: Sequence[Any]) -> Bar:
    value, low, high, *_ = figure
    words = f"{kind} {MISSING}" if value is None else f"{kind} {100 * value:.1f}"
    return Bar(kind, words, value, low, high)
