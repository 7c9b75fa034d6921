from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.sitemaps import views as sitemap_views
from django.urls import include, path
from django.views.decorators.http import require_safe

from leaderboard.sharing.sitemaps import SITEMAPS
from leaderboard.views import (
    account,
    boards,
    dry_runs,
    entries,
    history,
    judges,
    models,
    questions,
    releases,
    search,
    sharing,
    site,
    teams,
)

admin.site.site_header = admin.site.site_title = "Assay"
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # one login form, one rate limit

handler404 = "leaderboard.views.search.not_found"
handler500 = "leaderboard.middleware.failures.server_error"

urlpatterns = [
    path("", site.home, name="home"),
    path("favicon.ico", site.favicon, name="favicon"),
    path("boards/<slug:slug>/", boards.board, name="board"),
    path("boards/<slug:slug>/export.<slug:kind>", boards.board_export, name="board-export"),
    path("boards/<slug:slug>/evidence.zip", sharing.board_evidence, name="board-evidence"),
    path("boards/<slug:slug>/feed.atom", sharing.feed, name="board-feed"),
    path(
        "boards/<slug:slug>/charts/<slug:chart>.svg",
        sharing.board_chart,
        name="board-chart",
    ),
    path("embed/boards/<slug:slug>/", sharing.embedded_board, name="embedded-board"),
    path("boards/<slug:slug>/card.png", sharing.board_card, name="board-card"),
    path("boards/<slug:slug>/history/", history.board_history, name="board-history"),
    path("boards/<slug:slug>/questions/", questions.board_questions, name="board-questions"),
    path("boards/<slug:slug>/matrix/", questions.board_matrix, name="board-matrix"),
    path(
        "boards/<slug:slug>/suspects/",
        admin.site.admin_view(questions.board_suspects),
        name="board-suspects",
    ),
    path("plotly.js", boards.plotly_bundle, name="plotly-bundle"),
    path("compare/", models.compare, name="compare"),
    path("models/", models.models, name="models"),
    path("models/<slug:slug>/", models.model, name="model"),
    path("models/<slug:slug>/edit/", models.edit_model, name="model-edit"),
    path("entries/<uuid:submission_id>/", entries.entry, name="entry"),
    path(
        "entries/<uuid:submission_id>/answers.<slug:kind>",
        sharing.entry_answers,
        name="entry-answers",
    ),
    path("entries/<uuid:submission_id>/badge.svg", sharing.entry_badge, name="entry-badge"),
    path(
        "entries/<uuid:submission_id>/eval-results.yaml",
        sharing.entry_eval_results,
        name="entry-eval-results",
    ),
    path(
        "entries/<uuid:submission_id>/every-eval-ever.json",
        sharing.entry_every_eval_ever,
        name="entry-every-eval-ever",
    ),
    path("entries/<uuid:submission_id>/card.png", sharing.entry_card, name="entry-card"),
    path("questions/<int:question_id>/", questions.question, name="question"),
    path("questions/<int:question_id>/report/", questions.question_report, name="question-report"),
    path("releases/", releases.releases, name="releases"),
    path("releases/<slug:slug>/", releases.release, name="release"),
    path("releases/<slug:slug>/archive.zip", releases.release_archive, name="release-archive"),
    path("releases/<slug:slug>/example.py", releases.release_example, name="release-example"),
    path(
        "releases/<slug:slug>/croissant.json",
        releases.release_croissant,
        name="release-croissant",
    ),
    path("submissions/", entries.my_entries, name="my-entries"),
    path("submissions/<uuid:submission_id>/", entries.submission, name="submission"),
    path(
        "submissions/<uuid:submission_id>/progress/",
        entries.submission_progress,
        name="submission-progress",
    ),
    path(
        "submissions/<uuid:submission_id>/dry-run/",
        dry_runs.dry_run,
        name="submission-dry-run",
    ),
    path("submissions/<uuid:submission_id>/retry/", entries.retry, name="submission-retry"),
    path("teams/", teams.teams, name="teams"),
    path("teams/join/<str:key>/", teams.join, name="team-join"),
    path("teams/<int:team_id>/", teams.team, name="team"),
    path("teams/<int:team_id>/name/", teams.rename, name="team-name"),
    path("teams/<int:team_id>/invite/", teams.invite, name="team-invite"),
    path(
        "teams/<int:team_id>/invitations/<int:invitation_id>/end/",
        teams.end_invitation,
        name="team-invitation-end",
    ),
    path("teams/<int:team_id>/members/<int:user_id>/", teams.change_member, name="team-member"),
    path("teams/<int:team_id>/leave/", teams.leave, name="team-leave"),
    path("teams/<int:team_id>/close/", teams.close, name="team-close"),
    path("judges/", judges.judges, name="judges"),
    path("judges/<slug:slug>/", site.judge, name="judge"),
    path("method/<slug:slug>/", site.method, name="method"),
    path("robots.txt", sharing.robots, name="robots"),
    path("sitemap.xml", require_safe(sitemap_views.index), {"sitemaps": SITEMAPS}, name="sitemap"),
    path(
        "sitemap-<slug:section>.xml",
        require_safe(sitemap_views.sitemap),
        {"sitemaps": SITEMAPS},
        name="django.contrib.sitemaps.views.sitemap",
    ),
    path("search/", search.search, name="search"),
    path("search/suggest.json", search.suggest, name="search-suggest"),
    path("status/", site.status, name="status"),
    path("status.json", site.status_json, name="status-json"),
    path("health/live", site.health_live, name="health-live"),
    path("health/ready", site.health_ready, name="health-ready"),
    path("api/v1/", include("leaderboard.api.urls")),
    path("", include("benchmarks.urls")),
    path("", include("benchmarks.submissions.urls")),
    path("accounts/", account.account, name="account"),
    path("accounts/data/", account.data_export, name="data-export"),
    path("accounts/data/file/", account.data_export_file, name="data-export-file"),
    path("accounts/delete/", entries.delete_account, name="account-delete"),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
