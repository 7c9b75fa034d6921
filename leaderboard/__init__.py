"""What is shown; also the project package."""

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]
