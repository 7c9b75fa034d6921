"""One process, one core: prints its address and serves until SIGTERM, or until whoever started it
is gone."""

import asyncio
import os
import signal
import sys

from tests.provider.options import Options, read_arguments
from tests.provider.server import Provider

PARENT_SECONDS = 0.5


async def serve(options: Options) -> None:
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    parent = os.getppid()  # before anybody is told that we are there: then it may end at any moment
    provider = Provider(options, loop)
    sys.stdout.write(f"http://127.0.0.1:{await provider.listen()}/v1\n")
    sys.stdout.flush()
    while not stopping.is_set() and os.getppid() == parent:
        try:
            await asyncio.wait_for(stopping.wait(), PARENT_SECONDS)
        except TimeoutError:
            continue


if __name__ == "__main__":
    try:
        asyncio.run(serve(read_arguments()))
    except ValueError as error:
        sys.exit(f"provider: {error}")
