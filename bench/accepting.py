"""What taking in a file costs the server: processor time of the process that was asked and of the
reader it starts, from the bytes to the stored answers."""

import io
import json
import resource
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from django.contrib.auth.models import User
from django.test import override_settings

from bench.large_runs import DATASETS_OF, ROWS, SEED, phrase
from bench.measuring import Measured
from benchmarks.models import Release
from benchmarks.protocols.base import Upload
from benchmarks.registry import protocol
from benchmarks.selectors import question_views
from benchmarks.services.importing import import_release
from benchmarks.submissions.models import EvaluatedModel
from benchmarks.submissions.recognition import accept_from_outside
from benchmarks.submissions.samples.floor import jsonl_upload

SMALL_ROWS = 1_129  # of HallusionBench 1.1
FAMILY = "hallusionbench"
TARGETS = {SMALL_ROWS: 0.3, ROWS: 1.5}
TIMES = 7  # the least of them is told: what others do on the machine only adds


def measure() -> Iterator[Measured]:
    rows = json.loads(DATASETS_OF[FAMILY]())
    releases = [made_release(rows[:SMALL_ROWS]), made_release(rows)]
    owner = User.objects.create_user("accepting")
    with override_settings(QUOTA_SUBMISSIONS_DAY=0, QUOTA_UNFINISHED=0, QUOTA_FILES=0):
        for release in releases:
            upload, count = answers_of(release), release.question_count
            named = least_seconds(partial(accept, release, upload, owner))
            yield Measured(f"accept {count:,} rows", named, "s of processor", TARGETS[count])
            told = least_seconds(partial(accept, None, upload, owner))
            yield Measured(
                f"accept {count:,} rows whose ids tell the release",
                told,
                "s of processor",
                2 * TARGETS[count],  # another reader is started, and reads as each benchmark would
                reference_name="with its name",
                reference=named,
            )


def accept(release: Release | None, upload: Upload, owner: User) -> None:
    model = EvaluatedModel(name="accepted")
    accept_from_outside(release=release, upload=upload, model=model, owner=owner, client_token=None)


def made_release(rows: Sequence[object]) -> Release:
    stream = io.BytesIO(json.dumps(rows).encode())
    slug = f"accepting-{len(rows)}"
    release: Release = import_release(protocol=protocol(FAMILY), stream=stream, slug=slug).release
    return release


def answers_of(release: Release) -> Upload:
    rng = np.random.default_rng(SEED)
    ids = (view.public_id for view in question_views(release))
    return jsonl_upload("answers.jsonl", {key: phrase(rng, 1, 40) for key in ids})


def least_seconds(work: Callable[[], object]) -> float:
    """Of TIMES calls, with those of processes they waited for."""
    found = []
    for _ in range(TIMES):
        before = processor_seconds()
        work()
        found.append(processor_seconds() - before)
    return min(found)


def processor_seconds() -> float:
    """Of this process and of those that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)
