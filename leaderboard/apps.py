from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.module_loading import import_string

from judging import spending
from leaderboard.chain.triggers import install_chain_triggers, lift_chain_triggers
from leaderboard.snapshots.triggers import install_snapshot_guards, lift_snapshot_guards
from leaderboard.versions.changes import install_change_triggers, lift_change_triggers

REASON_OF_CLOCKS = "leaderboard.operations.clocks.reason_to_wait"


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "Leaderboard: what is shown"

    def ready(self) -> None:
        import_module("leaderboard.operations.checks")  # registers them
        import_module("leaderboard.accounts.deleted_rows")  # changes how allauth's are saved
        older_code = import_module("leaderboard.versions.older_code")  # of models
        spending.add_reason(older_code.too_old)
        # Once something is spent: all that judges comes with it, and few commands do.
        spending.add_reason(lambda: import_string(REASON_OF_CLOCKS)())
        # First: where it refuses, nothing was changed.
        pre_migrate.connect(older_code.prepare_older_code, sender=self)
        post_migrate.connect(older_code.note_older_code, sender=self)
        # As of benchmarks: SQLite rebuilds tables in migrations, and triggers would not let it.
        pre_migrate.connect(lift_change_triggers, sender=self)
        post_migrate.connect(install_change_triggers, sender=self)
        pre_migrate.connect(lift_chain_triggers, sender=self)
        post_migrate.connect(install_chain_triggers, sender=self)
        pre_migrate.connect(lift_snapshot_guards, sender=self)
        post_migrate.connect(install_snapshot_guards, sender=self)
