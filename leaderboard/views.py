"""The public pages, and each submission's own."""

from dataclasses import asdict, replace
from functools import partial
from uuid import UUID

from csp.decorators import csp_update
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import (
    FileResponse,
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import (
    condition,
    require_http_methods,
    require_POST,
    require_safe,
)

from benchmarks.models import Benchmark
from benchmarks.registry import protocol, protocols
from benchmarks.submissions.selectors import own_submission
from benchmarks.wake import wake
from judging.models import JudgeRun, JudgeSpec
from judging.services import retry_failed
from leaderboard.accounts import services as accounts
from leaderboard.board.choices import BoardChoices, TooLongError, choices_of
from leaderboard.board.page import BoardPage, NoSuchPageError, board_page, part_of, published_of
from leaderboard.board.plotly_bundle import bundle_path, bundle_tag, compressed_path
from leaderboard.board.stored_pages import is_personal, personal_response, stored_response
from leaderboard.board.version import board_version
from leaderboard.exports import EXPORTS, export_part, in_pieces
from leaderboard.operations.health import NOT_READY, problems, state
from leaderboard.pages.account import DeletionForm, deletion_page
from leaderboard.pages.entry import entry_page
from leaderboard.pages.entry_questions import QuestionFilter
from leaderboard.pages.home import home_page
from leaderboard.pages.judge import judge_page
from leaderboard.pages.method import method_page
from leaderboard.pages.my_entries import MyEntriesPage, my_entry_lines
from leaderboard.pages.status import status_page
from leaderboard.pages.submission import submission_page
from leaderboard.selectors import (
    BoardPart,
    BoardReading,
    NoSuchEraError,
    read_board,
    read_by_measure,
    visible_sheet,
)

STATUS_SECONDS = 5  # a crowd that reloads costs twelve renderings a minute
ROWS = "<!-- rows -->"
"""Where the rows of a board's table go in its template."""


@require_safe
@cache_control(public=True, max_age=86_400)
def favicon(request: HttpRequest) -> HttpResponse:
    """Browsers ask for it where a page names no icon of its own: in the admin, beside JSON and
    files."""
    return redirect(static("seal.svg"))


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "home.html", {"page": home_page()})


def chosen_of(request: HttpRequest, slug: str) -> BoardChoices:
    """What the address chooses of a board that there is."""
    if slug not in protocols():
        raise Http404("There is no such board.")
    try:
        return choices_of(request.GET, protocol(slug).board.BOARD)
    except TooLongError as error:
        raise BadRequest(str(error)) from None


def reading_of(slug: str, choices: BoardChoices, part: BoardPart) -> BoardReading:
    benchmark = get_object_or_404(Benchmark, slug=slug)
    try:
        reading = read_board(
            benchmark,
            release=choices.release,
            judge=choices.judge,
            ranges=choices.ranges,
            part=part,
        )
    except NoSuchEraError as error:
        raise Http404(str(error)) from None
    return read_by_measure(reading, choices.measure.slug if choices.measure else "")


@require_safe
# plotly.js draws a heatmap as an image in a data address; the decorator's types know only views
# without arguments
@csp_update({"img-src": ["data:"]})  # type: ignore[arg-type]  # as said above
def board(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Stored for visitors without an account, if what they chose is one of a short list
    (`BoardChoices.is_stored`)."""
    choices = chosen_of(request, slug)
    page = partial(board_markup, request, slug, choices)
    if settings.DEBUG or is_personal(request) or not choices.is_stored:
        return personal_response(page())
    return stored_response(
        request,
        choices=choices.key,
        version=partial(board_version, slug),
        render=page,
    )


def board_markup(request: HttpRequest, slug: str, choices: BoardChoices) -> bytes:
    family = protocol(slug).board
    reading = reading_of(slug, choices, part_of(choices, family.BOARD, family.METRICS))
    try:
        return page_markup(request, board_page(reading, choices))
    except NoSuchPageError as error:
        raise Http404(str(error)) from None


def page_markup(request: HttpRequest, page: BoardPage) -> bytes:
    """The rows of its table are put in last: they are most of it, and templates copy what they
    hold."""
    before, rows, after = render_to_string("board.html", {"page": page}, request).partition(ROWS)
    return "".join((before, page.table.body if rows else "", after)).encode()


@require_safe
@cache_control(public=True, max_age=86_400)
@gzip_page
@condition(etag_func=lambda request: f'W/"{bundle_tag()}"')
def plotly_bundle(request: HttpRequest) -> FileResponse:
    """The script of the charts that a reader asked to explore."""
    path = bundle_path()
    compressed = compressed_path(path)
    if compressed and "br" in request.headers.get("Accept-Encoding", ""):
        headers = {"Content-Encoding": "br", "Vary": "Accept-Encoding"}
        return FileResponse(
            compressed.open("rb"),
            filename=path.name,
            content_type="text/javascript",
            headers=headers,
        )
    return FileResponse(path.open("rb"), content_type="text/javascript")


@require_safe
def board_export(request: HttpRequest, slug: str, kind: str) -> StreamingHttpResponse:
    """Every entry that fits what was searched and filtered for, in the page's order."""
    if kind not in EXPORTS:
        raise Http404(f"Boards are exported as {', '.join(EXPORTS)}.")
    export, choices = EXPORTS[kind], chosen_of(request, slug)
    reading = reading_of(slug, choices, export_part(choices, protocol(slug).board, export))
    shown = replace(reading, published=published_of(reading, replace(choices, page=1)))
    headers = {"Content-Disposition": f'attachment; filename="assay-{slug}.{export.suffix}"'}
    pieces = in_pieces(export.write(shown))
    return StreamingHttpResponse(pieces, content_type=export.content_type, headers=headers)


@require_safe
def entry(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    sheet = visible_sheet(request.user, submission_id, request.GET.get("judge", ""))
    number = request.GET.get("page", "1")
    chosen = QuestionFilter(
        subtask=request.GET.get("subtask", ""),
        outcome=request.GET.get("outcome", ""),
        page=int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 1,
    )
    page = entry_page(sheet, chosen, is_owner=sheet.submission.owner_id == request.user.pk)
    return render(request, "entry.html", {"page": page})


@login_required
@never_cache
@require_safe
def submission(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    page = submission_page(own_submission(request.user, submission_id), request.user)
    return render(request, "submission.html", {"page": page})


@login_required
@never_cache
@require_safe
def submission_progress(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """The moving part of a submission's page. Once nothing moves, the browser loads the whole page
    anew."""
    page = submission_page(own_submission(request.user, submission_id), request.user)
    response = render(request, "submission_progress.html", {"page": page})
    if not page.is_moving:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def retry(request: HttpRequest, submission_id: UUID) -> HttpResponse:
    """What a judge ended without a verdict is asked again, as only the owner may wish: it may
    cost."""
    assert request.user.is_authenticated
    runs = JudgeRun.objects.not_withdrawn().filter(submission__owner=request.user)
    run = get_object_or_404(
        runs, submission=submission_id, judge_spec__slug=request.POST.get("judge", "")
    )
    if retry_failed(run=run, by=request.user):
        wake()
    return redirect("submission", submission_id)


@login_required
@never_cache
@require_safe
def my_entries(request: HttpRequest) -> HttpResponse:
    return render(
        request, "submissions/mine.html", {"page": MyEntriesPage(my_entry_lines(request.user))}
    )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def delete_account(request: HttpRequest) -> HttpResponse:
    assert request.user.is_authenticated
    form = DeletionForm(request.POST or None, user=request.user)
    if form.is_valid():
        try:
            accounts.delete_account(user=request.user)
        except accounts.LastAdminError as error:
            form.add_error(None, str(error))
        else:
            logout(request)
            messages.success(request, "Your account is deleted.")
            return redirect("home")
    page = deletion_page(request.user)
    status = 422 if form.errors else 200
    return render(request, "account_delete.html", {"page": page, "form": form}, status=status)


@require_safe
def judge(request: HttpRequest, slug: str) -> HttpResponse:
    spec = get_object_or_404(JudgeSpec.objects.select_related("prompt_set"), slug=slug)
    return render(request, "judge.html", {"page": judge_page(spec)})


@require_safe
def method(request: HttpRequest, slug: str) -> HttpResponse:
    if slug not in protocols():
        raise Http404("There is no such benchmark.")
    return render(request, "method.html", {"page": method_page(protocols()[slug])})


@never_cache
@require_safe
def health_live(request: HttpRequest) -> JsonResponse:
    """This process answers. Nothing else is asked, least of all the database."""
    return JsonResponse({"status": "live"})


@never_cache
@require_safe
def health_ready(request: HttpRequest) -> JsonResponse:
    """200 while pages can be made, degraded or not, with a sentence per thing that is wrong; 503
    otherwise."""
    found = problems()
    said = state(found)
    return JsonResponse({"status": said, "wrong": found}, status=503 if said == NOT_READY else 200)


@require_safe
@cache_control(public=True, max_age=STATUS_SECONDS)
def status(request: HttpRequest) -> HttpResponse:
    return render(request, "status.html", {"page": status_page()})


@require_safe
@cache_control(public=True, max_age=STATUS_SECONDS)
def status_json(request: HttpRequest) -> JsonResponse:
    """The figures of the status page."""
    return JsonResponse(asdict(status_page()))
