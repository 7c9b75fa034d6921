"""Studies of what people and judges say: the list, a report, and its figures as files."""

import csv
import io
from uuid import UUID

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from leaderboard.models import StudyReport
from leaderboard.results.studies.files import COLUMNS, figure_rows, study_document
from leaderboard.web.pages.studies.study import reports, studies_page, study_page


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
