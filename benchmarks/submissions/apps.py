from django.apps import AppConfig
from django.db.models.signals import post_migrate

from benchmarks.common.text_search import install_model_search
from benchmarks.common.triggers import keep_installed
from benchmarks.submissions.immutability import GUARDS


class SubmissionsConfig(AppConfig):
    name = "benchmarks.submissions"
    label = "submissions"
    verbose_name = "Submissions: what was answered"

    def ready(self) -> None:
        keep_installed(GUARDS, self)
        post_migrate.connect(install_model_search, sender=self)
