from django.apps import AppConfig
from django.db.backends.sqlite3.base import DatabaseWrapper
from django.db.models.signals import post_migrate

from benchmarks.common.text_search import install_description_search, install_question_search
from benchmarks.common.triggers import keep_installed
from benchmarks.immutability import GUARDS


class BenchmarksConfig(AppConfig):
    name = "benchmarks"
    verbose_name = "Benchmarks: what is asked"

    def ready(self) -> None:
        keep_installed(GUARDS, self)
        post_migrate.connect(install_question_search, sender=self)
        post_migrate.connect(install_description_search, sender=self)
        # Django finds out by a transaction, which here is one that writes: a lock that another
        # process holds would count as "no JSON" for as long as the connection lives.
        setattr(DatabaseWrapper.features_class, "supports_json_field", True)  # noqa: B010
