from django.apps import AppConfig

from benchmarks.common.triggers import keep_installed
from judging.panel.immutability import GUARDS


class PanelConfig(AppConfig):
    name = "judging.panel"
    label = "panel"
    verbose_name = "Panel: what people said"

    def ready(self) -> None:
        keep_installed(GUARDS, self)
