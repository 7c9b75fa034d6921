from importlib import import_module

from django.apps import AppConfig


class LeaderboardConfig(AppConfig):
    name = "leaderboard"
    verbose_name = "Leaderboard: what is shown"

    def ready(self) -> None:
        import_module("leaderboard.operations.checks")  # registers them
