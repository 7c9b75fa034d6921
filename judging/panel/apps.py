from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate

from judging.panel.immutability import install_rating_guards, lift_rating_guards


class PanelConfig(AppConfig):
    name = "judging.panel"
    label = "panel"
    verbose_name = "Panel: what people said"

    def ready(self) -> None:
        # As of benchmarks: SQLite rebuilds tables in migrations, and triggers would not let it.
        pre_migrate.connect(lift_rating_guards, sender=self)
        post_migrate.connect(install_rating_guards, sender=self)
