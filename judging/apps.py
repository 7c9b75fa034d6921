from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate

from judging import spending
from judging.immutability import install_verdict_guards, lift_verdict_guards


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging: what was decided"

    def ready(self) -> None:
        spending.add_reason(import_module("judging.witness").reason_to_wait)  # of models
        # As of benchmarks: SQLite rebuilds tables in migrations, and triggers would not let it.
        pre_migrate.connect(lift_verdict_guards, sender=self)
        post_migrate.connect(install_verdict_guards, sender=self)
