from importlib import import_module

from django.apps import AppConfig
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.module_loading import import_string

from benchmarks.common.triggers import keep_installed
from judging.coordination import spending
from leaderboard.results.chain import triggers as chain
from leaderboard.results.snapshots import triggers as snapshots
from leaderboard.results.versions import changes

REASON_OF_CLOCKS = "leaderboard.operations.clocks.reason_to_wait"


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "Leaderboard: what is shown"

    def ready(self) -> None:
        import_module("leaderboard.operations.checks")  # registers them
        import_module("leaderboard.people.accounts.deleted_rows")  # changes how allauth's are saved
        older_code = import_module("leaderboard.results.versions.older_code")  # of models
        spending.add_reason(older_code.too_old)
        # Once something is spent: all that judges comes with it, and few commands do.
        spending.add_reason(lambda: import_string(REASON_OF_CLOCKS)())
        # First: where it refuses, nothing was changed.
        pre_migrate.connect(older_code.prepare_older_code, sender=self)
        post_migrate.connect(older_code.note_older_code, sender=self)
        for triggers in (changes.TRIGGERS, chain.GUARDS, chain.TRIGGERS, snapshots.GUARDS):
            keep_installed(triggers, self)
        post_migrate.connect(changes.count_every_board, sender=self)
