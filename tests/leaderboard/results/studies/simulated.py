"""Raters that err by chance: each looks at what a browser is given, and votes as a browser does."""

import random
import re
import uuid
from collections.abc import Mapping
from typing import Any

from django.test import Client
from django.urls import reverse

from judging.panel.models import Study
from tests.leaderboard.results.studies import plain

ERRORS = (0.05, 0.1, 0.25)
AT_ONCE = 7  # votes of one request, as a browser sends what waited for the network


def answers_to(count: int) -> bytes:
    """To that many words; every third is wrong."""
    return "".join(
        f"{n}={f'word{n}' if is_right(f'word{n}') else 'other'}\n" for n in range(1, count + 1)
    ).encode()


def is_right(question: str) -> int:
    return int(int(re.sub(r"\D", "", question)) % 3 != 0)


def rate_everything(
    client: Client, study: Study, error: float, rng: random.Random
) -> dict[str, int]:
    """What a rater with this share of errors said, by the text of the question: they look at what
    a browser is given, and at nothing else."""
    said: dict[int, tuple[str, int]] = {}
    while given := waiting(client, study)[:AT_ONCE]:
        for item in given:
            (answer,) = item["texts"]
            truth = int(answer == item["truth"])
            value = 1 - truth if rng.random() < error else truth
            said[item["id"]] = (item["question"], value)
        sent = client.post(
            reverse("rate-votes", args=[study.pk]),
            {"votes": [vote_on(item["id"], said[item["id"]][1]) for item in given]},
            "application/json",
        ).json()
        assert {one["state"] for one in sent["results"]} == {"stored"}
    counted = study.items.filter(is_check=False).values_list("pk", flat=True)
    return dict(said[key] for key in counted if key in said)  # others it rated before


def waiting(client: Client, study: Study) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = client.post(reverse("rate-items", args=[study.pk])).json()[
        "items"
    ]
    return found


def vote_on(item: int, value: int) -> dict[str, object]:
    return {"item": item, "key": str(uuid.uuid4()), "values": {"correct": value}}


def columns_of(part, items):
    """Which rater is whose column: aliases follow the order of the file, not the raters'
    numbers."""
    return sorted(
        range(len(ERRORS)),
        key=lambda place: [round(one["like_others"]["value"], 12) for one in part["each"]].index(
            round(plain.rater_like_others(items, place), 12)
        ),
    )
