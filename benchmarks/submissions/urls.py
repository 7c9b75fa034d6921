from django.urls import path

from benchmarks.submissions import views

urlpatterns = [
    path("submit/", views.submit, name="submit"),
    path("submissions/<uuid:submission_id>/confirm/", views.confirm, name="submission-confirm"),
    path("submissions/<uuid:submission_id>/file/", views.download, name="submission-file"),
    path(
        "submissions/refused/<uuid:refused_id>/problems.csv",
        views.refused_problems,
        name="refused-file-problems",
    ),
    path(
        "submissions/refused/<uuid:refused_id>/missing.csv",
        views.refused_missing,
        name="refused-file-missing",
    ),
    path("accounts/name/", views.name, name="public-name"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", views.revoke, name="token-revoke"),
]
