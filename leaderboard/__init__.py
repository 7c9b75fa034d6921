"""What is shown; also the project package."""

import os

# Before anything imports NumPy, as whatever starts imports this package first. Our products are
# small: with a thread per core one of 100 x 1,000 numbers takes 24 ms in place of 1.3, and the last
# digits of larger ones hang on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]
