from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.contrib.sitemaps import views as sitemap_views
from django.urls import include, path
from django.views.decorators.http import require_safe

from leaderboard.web import guides
from leaderboard.web.pages.boards import board, compare, history, matrix, questions
from leaderboard.web.pages.entries import actions, answer_files, entry
from leaderboard.web.pages.judges import judge, judge_list, method
from leaderboard.web.pages.models import model, model_list
from leaderboard.web.pages.people import account, invitations, notices, team
from leaderboard.web.pages.questions import question, report
from leaderboard.web.pages.releases import release
from leaderboard.web.pages.site import design, home, search, sharing, status
from leaderboard.web.pages.studies import rating_views as rating
from leaderboard.web.pages.studies import study
from leaderboard.web.pages.submissions import dry_run, my_entries, progress, submission
from leaderboard.web.sharing.sitemaps import SITEMAPS

admin.autodiscover()  # before its addresses are made, below
admin.site.site_header = admin.site.site_title = "Assay"
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # one login form, one rate limit

handler404 = "leaderboard.web.pages.site.errors.not_found"
handler500 = "leaderboard.project.middleware.failures.server_error"

urlpatterns = [
    path("", home.home, name="home"),
    path("favicon.ico", home.favicon, name="favicon"),
    path("boards/<slug:slug>/", board.board, name="board"),
    path("boards/<slug:slug>/export.<slug:kind>", board.board_export, name="board-export"),
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
    path("boards/<slug:slug>/matrix/", matrix.board_matrix, name="board-matrix"),
    path(
        "boards/<slug:slug>/suspects/",
        admin.site.admin_view(questions.board_suspects),
        name="board-suspects",
    ),
    path("plotly.js", board.plotly_bundle, name="plotly-bundle"),
    path("compare/", compare.compare, name="compare"),
    path("models/", model_list.models, name="models"),
    path("models/<slug:slug>/", model.model, name="model"),
    path("models/<slug:slug>/edit/", model.edit_model, name="model-edit"),
    path("entries/<uuid:submission_id>/", entry.entry, name="entry"),
    path(
        "entries/<uuid:submission_id>/answers.<slug:kind>",
        answer_files.entry_answers,
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
    path("questions/<int:question_id>/", question.question, name="question"),
    path("questions/<int:question_id>/report/", report.question_report, name="question-report"),
    path("rate/", rating.studies, name="rate"),
    path("rate/join/<str:key>/", rating.join, name="rate-join"),
    path("rate/<uuid:study_id>/", rating.study, name="rate-study"),
    path("rate/<uuid:study_id>/instructions/", rating.instructions, name="rate-instructions"),
    path("rate/<uuid:study_id>/votes/", rating.votes, name="rate-votes"),
    path("rate/<uuid:study_id>/items/", rating.items, name="rate-items"),
    path("rate/<uuid:study_id>/undo/", rating.undo, name="rate-undo"),
    path("rate/<uuid:study_id>/withdraw/", rating.withdraw, name="rate-withdraw"),
    path("releases/", release.releases, name="releases"),
    path("releases/<slug:slug>/", release.release, name="release"),
    path("releases/<slug:slug>/archive.zip", release.release_archive, name="release-archive"),
    path("releases/<slug:slug>/example.py", release.release_example, name="release-example"),
    path(
        "releases/<slug:slug>/croissant.json",
        release.release_croissant,
        name="release-croissant",
    ),
    path("submissions/", my_entries.my_entries, name="my-entries"),
    path("submissions/<uuid:submission_id>/", submission.submission, name="submission"),
    path(
        "submissions/<uuid:submission_id>/progress/",
        progress.submission_progress,
        name="submission-progress",
    ),
    path(
        "submissions/<uuid:submission_id>/events/",
        progress.submission_events,
        name="submission-events",
    ),
    path(
        "submissions/<uuid:submission_id>/verdicts.<slug:kind>",
        answer_files.submission_verdicts,
        name="submission-verdicts",
    ),
    path(
        "submissions/<uuid:submission_id>/dry-run/",
        dry_run.dry_run,
        name="submission-dry-run",
    ),
    path(
        "submissions/<uuid:submission_id>/visibility/",
        actions.visibility,
        name="submission-visibility",
    ),
    path(
        "submissions/<uuid:submission_id>/withdraw/",
        actions.withdraw,
        name="submission-withdraw",
    ),
    path(
        "submissions/<uuid:submission_id>/replace/",
        actions.replace,
        name="submission-replace",
    ),
    path("submissions/<uuid:submission_id>/retry/", actions.retry, name="submission-retry"),
    path("notices/", notices.notices, name="notices"),
    path("notices/read/", notices.mark_read, name="notices-read"),
    path("notices/mails/", notices.choose, name="notices-choose"),
    path("notices/stop/<str:signed>/", notices.unsubscribe, name="notices-unsubscribe"),
    path("webhooks/", notices.webhooks, name="webhooks"),
    path("webhooks/<int:webhook_id>/", notices.change_webhook, name="webhook-change"),
    path("teams/", team.teams, name="teams"),
    path("teams/join/<str:key>/", team.join, name="team-join"),
    path("teams/<int:team_id>/", team.team, name="team"),
    path("teams/<int:team_id>/name/", team.rename, name="team-name"),
    path("teams/<int:team_id>/invite/", team.invite, name="team-invite"),
    path(
        "teams/<int:team_id>/invitations/<int:invitation_id>/end/",
        team.end_invitation,
        name="team-invitation-end",
    ),
    path("teams/<int:team_id>/members/<int:user_id>/", team.change_member, name="team-member"),
    path("teams/<int:team_id>/leave/", team.leave, name="team-leave"),
    path("teams/<int:team_id>/close/", team.close, name="team-close"),
    path("judges/", judge_list.judges, name="judges"),
    path("judges/<slug:slug>/", judge.judge, name="judge"),
    path("studies/", study.studies, name="studies"),
    path("studies/<uuid:file_id>/", study.study, name="study"),
    path("studies/<uuid:file_id>/figures.<slug:kind>", study.study_file, name="study-file"),
    path("method/<slug:slug>/", method.method, name="method"),
    path("guides/", guides.guides, name="guides"),
    path("guides/<slug:slug>/", guides.public_guide, name="public-guide"),
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
    path("status/", status.status, name="status"),
    path("status.json", status.status_json, name="status-json"),
    path("health/live", status.health_live, name="health-live"),
    path("health/ready", status.health_ready, name="health-ready"),
    path("api/v1/", include("leaderboard.web.api.urls")),
    path("", include("benchmarks.urls")),
    path("", include("benchmarks.submissions.urls")),
    path("accounts/", account.account, name="account"),
    path("accounts/invitation/", invitations.invitation, name="person-invitation"),
    path(
        "accounts/invitation/<str:key>/",
        invitations.open_link,
        name="person-invitation-link",
    ),
    path("accounts/data/", account.data_export, name="data-export"),
    path("accounts/data/file/", account.data_export_file, name="data-export-file"),
    path("accounts/sessions/<int:device_id>/end/", account.end_device, name="device-end"),
    path("accounts/delete/", account.delete_account, name="account-delete"),
    path("accounts/", include("leaderboard.people.accounts.urls")),
    path("design/", admin.site.admin_view(design.design), name="design"),
    path("admin/guides/<slug:slug>/", admin.site.admin_view(guides.staff_guide), name="guide"),
    path("admin/", admin.site.urls),
]
