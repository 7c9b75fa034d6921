"""Other ways to send the same requests, each in a process of its own: what judging is compared
with.

    python -m bench.judging_clients NAME URL REQUESTS CALLS CONCURRENCY

REQUESTS is a file with a JSON list of message lists. The clock starts when a line comes on standard
input.
"""

import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp
from openai import OpenAI

from bench.contenders import report_work

MODEL = "judge"
SEED = 7
KIT_PAUSE_SECONDS = 0.5
ATTEMPTS = 5
Messages = list[dict[str, str]]


def ask_in_turn(url: str, requests: list[Messages], _: int) -> int:
    """One call after the other, as the official scripts do; those that came back."""
    client = OpenAI(base_url=url, api_key="none")
    return sum(ask_once(client, messages) for messages in requests)


def ask_in_threads(url: str, requests: list[Messages], threads: int) -> int:
    """A thread per call in flight around one client."""
    client = OpenAI(base_url=url, api_key="none")
    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(lambda messages: ask_once(client, messages), requests))


def ask_like_a_kit(url: str, requests: list[Messages], threads: int) -> int:
    """The same with a random pause of up to half a second before each call, as VLMEvalKit's API
    classes make."""
    client = OpenAI(base_url=url, api_key="none")
    pauses = random.Random(SEED)
    paused = [(pauses.random() * KIT_PAUSE_SECONDS, messages) for messages in requests]

    def ask_after_pause(pause_seconds: float, messages: Messages) -> bool:
        time.sleep(pause_seconds)
        return ask_once(client, messages)

    with ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(ask_after_pause, *zip(*paused, strict=True)))


def ask_once(client: OpenAI, messages: Any) -> bool:
    completion = client.chat.completions.create(model=MODEL, messages=messages, temperature=0)
    return bool(completion.choices[0].message.content)


def ask_bare(url: str, requests: list[Messages], concurrency: int) -> int:
    """aiohttp alone, nothing stored: about the limit. A 429 is asked again after its Retry-After,
    up to four times."""
    return asyncio.run(ask_all_bare(url, requests, concurrency))


async def ask_all_bare(url: str, requests: list[Messages], concurrency: int) -> int:
    waiting = iter(requests)
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        answered = await asyncio.gather(
            *(ask_one_by_one(session, url, waiting) for _ in range(concurrency))
        )
    return sum(answered)


async def ask_one_by_one(
    session: aiohttp.ClientSession, url: str, waiting: Iterator[Messages]
) -> int:
    answered = 0
    for messages in waiting:
        body = {"model": MODEL, "messages": messages, "temperature": 0}
        for _ in range(ATTEMPTS):
            async with session.post(f"{url}/chat/completions", json=body) as response:
                content = await response.read()
            if response.status == 200:
                answered += bool(json.loads(content)["choices"][0]["message"]["content"])
                break
            await asyncio.sleep(float(response.headers.get("Retry-After", "1")))
    return answered


CLIENTS = {
    "sequential": ask_in_turn,
    "threads": ask_in_threads,
    "kit": ask_like_a_kit,
    "aiohttp": ask_bare,
}


def main(name: str, url: str, file: str, calls: str, concurrency: str) -> None:
    requests: list[Messages] = json.loads(Path(file).read_text())
    chosen = list(itertools.islice(itertools.cycle(requests), int(calls)))
    report_work(lambda: CLIENTS[name](url, chosen, int(concurrency)))


if __name__ == "__main__":
    main(*sys.argv[1:])
