from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate

from benchmarks.submissions.immutability import install_decision_guards, lift_decision_guards
from benchmarks.text_search import install_model_search


class SubmissionsConfig(AppConfig):
    name = "benchmarks.submissions"
    label = "submissions"
    verbose_name = "Submissions: what was answered"

    def ready(self) -> None:
        # As of benchmarks: SQLite rebuilds tables in migrations, and triggers would not let it.
        pre_migrate.connect(lift_decision_guards, sender=self)
        post_migrate.connect(install_decision_guards, sender=self)
        post_migrate.connect(install_model_search, sender=self)
