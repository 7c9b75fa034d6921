"""What annotators and reviewers did: a page for whoever reviews or assigns, and the same as a
file."""

from collections.abc import Iterator, Sequence

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.views.decorators.http import require_safe

from benchmarks.admin import PageAdmin
from benchmarks.common.spreadsheets import csv_text, inert
from judging.coordination.clock import database_now
from judging.desk.work_done import WorkDone, work_done

HEADS = (
    "month",
    "person",
    "role",
    "submitted",
    "approved_first_time",
    "approved_later",
    "sent_back",
    "superseded",
    "waiting",
    "words_of_approved",
    "approved_without_word_count",
    "decided",
    "decided_approved",
    "decided_sent_back",
    "median_hours_to_decision",
)


class WorkDonePages(PageAdmin):
    """Its addresses stand among those of the annotators' room, whose admin includes them."""

    def get_urls(self) -> list[URLPattern]:
        return [
            self.page("work-done/", require_safe(self.page_view), "work_done"),
            self.page("work-done.csv", require_safe(self.file_view), "work_done_file"),
        ]

    def page_view(self, request: HttpRequest) -> HttpResponse:
        return self.render(request, "work_done", "Work done", page=self.read(request))

    def file_view(self, request: HttpRequest) -> HttpResponse:
        page = self.read(request)
        period = f"{page.period.start:%Y-%m}" if page.period.month else str(page.period.year)
        return HttpResponse(
            csv_text([HEADS, *lines(page)]),
            content_type="text/csv; charset=utf-8",
            headers={
                "Content-Disposition": f'attachment; filename="work-done-{period}.csv"',
                "Cache-Control": "private, no-store",
            },
        )

    def read(self, request: HttpRequest) -> WorkDone:
        """Raises PermissionDenied for whoever neither reviews nor assigns."""
        names = ("benchmarks.approve_description", "benchmarks.assign_figure")
        if not any(request.user.has_perm(name) for name in names):
            raise PermissionDenied
        return work_done(query=request.GET, now=database_now())


def lines(page: WorkDone) -> Iterator[Sequence[object]]:
    """One line per row, in the columns of HEADS; empty is what a role does not do, and hours that
    nobody noted."""
    for row in page.written:
        yield (
            f"{row.month:%Y-%m}",
            inert(row.person),
            "author",
            row.submitted,
            row.first_time,
            row.later,
            row.sent_back,
            row.superseded,
            row.waiting,
            row.words,
            row.uncounted,
            *("", "", ""),
            "" if row.hours is None else f"{row.hours:.2f}",
        )
    for one in page.decided:
        yield (
            f"{one.month:%Y-%m}",
            inert(one.person),
            "reviewer",
            *("",) * 8,
            one.decided,
            one.approved,
            one.sent_back,
            "" if one.hours is None else f"{one.hours:.2f}",
        )
