from importlib import import_module

from django.apps import AppConfig

from benchmarks.common.triggers import keep_installed
from judging.coordination import spending
from judging.immutability import GUARDS


class JudgingConfig(AppConfig):
    name = "judging"
    verbose_name = "Judging: what was decided"

    def ready(self) -> None:
        spending.add_reason(
            import_module("judging.coordination.witness").reason_to_wait
        )  # of models
        keep_installed(GUARDS, self)
