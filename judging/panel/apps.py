from django.apps import AppConfig


class PanelConfig(AppConfig):
    name = "judging.panel"
    label = "panel"
    verbose_name = "Panel: what people said"
