"""What is shown; also the project package."""

import atexit
import gc
import os

# Before anything imports NumPy, as whatever starts imports this package first. Our products are
# small: with a thread per core one of 100 x 1,000 numbers takes 24 ms in place of 1.3, and the last
# digits of larger ones hang on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]

# Python looks for rings of dead objects at each 700 new ones, which is a tenth of the time to
# start, and through everything before it ends, half a second of each command. Ten thousand small
# objects are a megabyte or two, and a process that ends gives all of them back.
gc.set_threshold(10_000)
atexit.register(gc.freeze)
