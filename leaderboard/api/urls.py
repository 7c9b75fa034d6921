"""Addresses of the API, version 1."""

from django.urls import path, re_path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularAPIView

from benchmarks.api import views as releases
from benchmarks.submissions.api import views as submissions
from benchmarks.submissions.api.refusals import RefusedFileDetail
from leaderboard.api import views as api
from leaderboard.api.docs import api_docs

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="api-docs")),
    path("docs/", api_docs, name="api-docs"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("boards/", api.Boards.as_view(), name="api-boards"),
    path("boards/<slug:slug>/", api.BoardDetail.as_view(), name="api-board"),
    path("entries/", api.Entries.as_view(), name="api-entries"),
    path("entries/<uuid:submission_id>/", api.EntryDetail.as_view(), name="api-entry"),
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
    path("submissions/", api.StatedSubmissions.as_view(), name="api-submissions"),
    path(
        "submissions/<uuid:submission_id>/", api.SubmissionDetail.as_view(), name="api-submission"
    ),
    path(
        "submissions/<uuid:submission_id>/publish/",
        submissions.publish,
        name="api-submission-publish",
    ),
    path(
        "submissions/<uuid:submission_id>/make-private/",
        submissions.make_private,
        name="api-submission-private",
    ),
    path(
        "submissions/<uuid:submission_id>/withdraw/",
        submissions.withdraw,
        name="api-submission-withdraw",
    ),
    re_path(r"^.+/$", api.no_such_address),
]
