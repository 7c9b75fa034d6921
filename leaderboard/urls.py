from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path

from leaderboard import views

admin.site.site_header = admin.site.site_title = "Assay"
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # one login form, one rate limit

handler500 = "leaderboard.middleware.failures.server_error"

urlpatterns = [
    path("", views.home, name="home"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("boards/<slug:slug>/", views.board, name="board"),
    path("boards/<slug:slug>/export.<slug:kind>", views.board_export, name="board-export"),
    path("plotly.js", views.plotly_bundle, name="plotly-bundle"),
    path("entries/<uuid:submission_id>/", views.entry, name="entry"),
    path("submissions/", views.my_entries, name="my-entries"),
    path("submissions/<uuid:submission_id>/", views.submission, name="submission"),
    path(
        "submissions/<uuid:submission_id>/progress/",
        views.submission_progress,
        name="submission-progress",
    ),
    path("submissions/<uuid:submission_id>/retry/", views.retry, name="submission-retry"),
    path("judges/<slug:slug>/", views.judge, name="judge"),
    path("method/<slug:slug>/", views.method, name="method"),
    path("status/", views.status, name="status"),
    path("status.json", views.status_json, name="status-json"),
    path("health/live", views.health_live, name="health-live"),
    path("health/ready", views.health_ready, name="health-ready"),
    path("api/v1/", include("leaderboard.api.urls")),
    path("", include("benchmarks.urls")),
    path("", include("benchmarks.submissions.urls")),
    path("accounts/delete/", views.delete_account, name="account-delete"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
