"""Addresses of the API, version 1."""

from django.urls import path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from benchmarks.api import views as releases
from benchmarks.submissions.api.refusals import RefusedFileDetail
from leaderboard.web.api import benchmarks, judges, models, studies, submissions, webhooks
from leaderboard.web.api import views as api
from leaderboard.web.api.docs import api_docs
from leaderboard.web.api.verdicts import EntryVerdicts

ENTRY, SUBMISSION = "entries/<uuid:submission_id>", "submissions/<uuid:submission_id>"

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api-docs")),
    path("docs/", api_docs, name="api-docs"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("benchmarks/", benchmarks.Benchmarks.as_view(), name="api-benchmarks"),
    path("benchmarks/<slug:slug>/", benchmarks.BenchmarkDetail.as_view(), name="api-benchmark"),
    path("boards/", api.Boards.as_view(), name="api-boards"),
    path("boards/<slug:slug>/", api.BoardDetail.as_view(), name="api-board"),
    path("entries/", api.Entries.as_view(), name="api-entries"),
    path(f"{ENTRY}/", api.EntryDetail.as_view(), name="api-entry"),
    path(f"{ENTRY}/verdicts/", EntryVerdicts.as_view(), name="api-entry-verdicts"),
    path("judges/", judges.Judges.as_view(), name="api-judges"),
    path("judges/<slug:slug>/", judges.JudgeDetail.as_view(), name="api-judge"),
    path("models/", models.Models.as_view(), name="api-models"),
    path("models/<slug:slug>/", models.ModelDetail.as_view(), name="api-model"),
    path("releases/", releases.Releases.as_view(), name="api-releases"),
    path("releases/<slug:slug>/", releases.ReleaseDetail.as_view(), name="api-release"),
    path(
        "releases/<slug:slug>/questions/",
        releases.ReleaseQuestions.as_view(),
        name="api-release-questions",
    ),
    path(
        "refused-files/<uuid:refused_id>/",
        RefusedFileDetail.as_view(),
        name="api-refused-file",
    ),
    path("studies/", studies.Studies.as_view(), name="api-studies"),
    path("submissions/", submissions.StatedSubmissions.as_view(), name="api-submissions"),
    path(f"{SUBMISSION}/", submissions.SubmissionDetail.as_view(), name="api-submission"),
    path(f"{SUBMISSION}/publish/", submissions.Publish.as_view(), name="api-submission-publish"),
    path(
        f"{SUBMISSION}/make-private/",
        submissions.MakePrivate.as_view(),
        name="api-submission-private",
    ),
    path(f"{SUBMISSION}/withdraw/", submissions.Withdraw.as_view(), name="api-submission-withdraw"),
    path(f"{SUBMISSION}/retry/", submissions.Retry.as_view(), name="api-submission-retry"),
    path("webhooks/", webhooks.Webhooks.as_view(), name="api-webhooks"),
    path("webhooks/<int:webhook_id>/", webhooks.WebhookOfMine.as_view(), name="api-webhook"),
    path(
        "webhooks/<int:webhook_id>/delete/",
        webhooks.DeleteWebhook.as_view(),
        name="api-webhook-delete",
    ),
    re_path(r"^.+/$", api.no_such_address),
]
