"""Told to all processes of a worker at once: take nothing new, end what is under way, give back the rest.

Made before a worker forks its pool, so that main process and pool share it; the worker's shutdown signal sets it.
"""

import multiprocessing

STOPPING = multiprocessing.Event()
