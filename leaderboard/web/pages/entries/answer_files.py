"""Files to compute with: every verdict behind an entry, for everybody who may see it, and of what
somebody handed in, for them."""

import tempfile
from pathlib import Path
from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from benchmarks.submissions.selectors import own_submission
from judging.models import JudgeRun
from leaderboard.results.disclosure import require_verdicts
from leaderboard.results.selectors import visible_sheet
from leaderboard.web.exports import in_pieces
from leaderboard.web.sharing.answer_rows import answers_as_csv, answers_as_json_lines

TEXT_FILES = {
    "csv": (answers_as_csv, "text/csv"),
    "jsonl": (answers_as_json_lines, "application/x-ndjson"),
}


@require_safe
def entry_answers(request: HttpRequest, submission_id: UUID, kind: str) -> HttpResponseBase:
    """Of an entry that may be seen."""
    sheet = visible_sheet(request.user, submission_id, request.GET.get("judge", ""))
    return answer_file(sheet.run, kind)


@login_required
@never_cache
@require_safe
def submission_verdicts(request: HttpRequest, submission_id: UUID, kind: str) -> HttpResponseBase:
    """Of a submission of one's own, withdrawn or not judged to its end too."""
    submission = own_submission(request.user, submission_id)
    require_verdicts(submission.release)
    runs = submission.runs.whole().filter(planned__isnull=False).select_related("judge_spec")
    judge = request.GET.get("judge", "")
    run = next((run for run in runs.order_by("pk") if judge in ("", run.judge_spec.slug)), None)
    if run is None:
        raise Http404("No judge of that name was asked about it, or none yet.")
    return answer_file(run, kind)


def answer_file(run: JudgeRun, kind: str) -> HttpResponseBase:
    """Sent while it is read, some hundred answers at a time; Parquet is written to a file first,
    which vanishes once it is sent. Raises Http404 for any other kind, and for a hidden test."""
    require_verdicts(run.submission.release)
    name = f"assay-{run.submission.release.slug}-{str(run.submission_id)[:8]}.{kind}"
    if kind in TEXT_FILES:
        texts_of, media_type = TEXT_FILES[kind]
        return StreamingHttpResponse(
            in_pieces(texts_of(run)),
            content_type=f"{media_type}; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )
    if kind != "parquet":
        raise Http404("Verdicts are told as csv, jsonl and parquet.")
    # pyarrow takes a quarter second and 60 MB: only a process that is asked for a file has it
    from leaderboard.web.sharing.parquet import write_parquet  # noqa: PLC0415

    file = tempfile.NamedTemporaryFile(suffix=".parquet", dir=settings.FILE_UPLOAD_TEMP_DIR)  # noqa: SIM115 - the response closes it
    write_parquet(run, Path(file.name))
    return FileResponse(
        file,
        as_attachment=True,
        filename=name,
        content_type="application/vnd.apache.parquet",
    )
