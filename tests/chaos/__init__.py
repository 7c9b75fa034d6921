"""Judging while everything under it fails: `make drill ONLY=chaos`.

    python -m tests.chaos [--seed N] [--seconds S] [--logs FOLDER]

600 answers are judged by two workers on a PostgreSQL and a Redis of their own, through a provider
that refuses, hangs and garbles. Pool processes and workers are killed, PostgreSQL crashes, Redis
forgets, a worker freezes; then the faults stop, and what must hold is counted against the ledger
and the provider's own count. Exit status 1 where it does not.
"""
