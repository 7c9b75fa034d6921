"""The same site with few and with many submissions: what each piece of work costs then.

    python -m bench.growth [--sizes 10,100,1000] [--dearest]

SQLite as far as 1,000 submissions; PostgreSQL as far as asked, where DATABASE_URL names a server
whose databases may be made and dropped (`make bench-growth` brings one). Ten thousand, --sizes
10,100,1000,10000, need 30 GB and an hour. --dearest tells of each line the queries that cost the
server most.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from bench.growth.tables import Result, dear_queries, faults_of, table

MOST_ON_SQLITE = 1000
"""Submissions; a site of more has PostgreSQL."""
LONGEST_QUERY = "60s"
"""Of wall time: a query that nobody would wait for. Filling has longer ones, and says so."""


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench.growth")
    parser.add_argument("--sizes", default="10,100,1000")
    parser.add_argument("--dearest", action="store_true")
    asked = parser.parse_args(arguments)
    sizes = sorted({int(size) for size in asked.sizes.split(",")})
    server = os.environ.pop("DATABASE_URL", "")
    for results in (on_sqlite(sizes), on_postgresql(sizes, server)):
        found = list(results)
        if found:
            print(table(found), faults_of(found), sep="\n\n")
        if asked.dearest:
            print(dear_queries(found))
    return 0


def on_sqlite(sizes: Sequence[int]) -> Iterator[Result]:
    for size in sizes:
        if size <= MOST_ON_SQLITE:
            with tempfile.TemporaryDirectory(prefix="assay-growth-") as folder:
                yield measured(size, f"sqlite:///{folder}/growth.sqlite3", folder)


def on_postgresql(sizes: Sequence[int], server: str) -> Iterator[Result]:
    if not server:
        print("No PostgreSQL without DATABASE_URL; see `make bench-growth`.", file=sys.stderr)
        return
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="assay-growth-") as folder:
            yield measured(size, new_database(server, f"growth_{size}"), folder)


def new_database(server: str, name: str) -> str:
    """Its address. Queries have no helpers there, whose CPU nobody would count."""
    known = sql.Identifier(name)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(known))
        connection.execute(sql.SQL("CREATE DATABASE {}").format(known))
        connection.execute(
            sql.SQL("ALTER DATABASE {} SET max_parallel_workers_per_gather = 0").format(known)
        )
        connection.execute(
            sql.SQL("ALTER DATABASE {} SET statement_timeout = {}").format(known, LONGEST_QUERY)
        )
    return urlsplit(server)._replace(path=f"/{name}").geturl()


def measured(size: int, database: str, folder: str) -> Result:
    print(f"{size:,} submissions on {urlsplit(database).scheme}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "bench.growth.one", str(size)],
        env=os.environ | {"DATABASE_URL": database, "VAR_DIR": str(Path(folder) / "var")},
        stdout=subprocess.PIPE,
        check=True,
    )
    return Result.read(json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
