from django.apps import AppConfig
from django.db.models.signals import post_migrate

from benchmarks.immutability import install_guards


class BenchmarksConfig(AppConfig):
    name = "benchmarks"
    verbose_name = "Benchmarks: what is asked"

    def ready(self) -> None:
        # Not a domain signal: SQLite rebuilds tables in migrations and drops their triggers on the way.
        post_migrate.connect(install_guards, sender=self)
