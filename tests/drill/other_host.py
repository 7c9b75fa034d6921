"""A worker on a host without the site's folder, alone for a while, then with the folder: what it
says, what it leaves alone, and how soon it does what was left.

python -m tests.drill.other_host      own PostgreSQL, half a minute
"""

import json
import subprocess
import sys
import time
import urllib.request
from datetime import timedelta
from typing import Any

from deploy.private_services import StopSignals
from leaderboard.operations.processes.supervisor import free_port
from tests.chaos.workers import running_workers, stop
from tests.drill.ground import START_SECONDS, ground, site_address
from tests.drill.outcome import Outcome, play
from tests.site import PROJECT

TOLD_SECONDS = 10.0  # from its first heartbeat: the next one, and health's answer
GOES_ON_SECONDS = 45.0  # start included, on two cores that have other work


def drill(signals: StopSignals) -> Outcome:
    with ground(signals, {"SWEEP_SECONDS": "1"}) as site:
        from django.contrib.auth.models import User
        from django.core.cache import cache
        from django.utils import timezone

        from benchmarks.submissions.models import LooseFile
        from leaderboard.models import DataExport, FileMark, WorkerBeat
        from leaderboard.operations.files.file_marks import NAMED

        port = free_port()
        processes = site.processes(workers=1, port=port)
        for process in processes.values():
            process.environment["BROKER_URL"] = ""  # so that it tidies with its first sweep
        worker, own = processes["worker"], processes["worker"].environment["VAR_DIR"]
        with running_workers(list(processes.values())):
            address = site_address(site, port)
            site.wait(
                lambda: FileMark.objects.count() == len(NAMED), START_SECONDS, "marks of the files"
            )
            before = ready(address)
            stop([worker])
            old = timezone.now() - timedelta(days=365)
            LooseFile.objects.bulk_create([LooseFile(name="gone.txt")])
            LooseFile.objects.update(since=old)
            DataExport.objects.create(owner=User.objects.create(username="asks"))
            cache.delete("tidied")  # as if an hour had passed since the worker of before

            worker.environment["VAR_DIR"] = str(site.folder / "other")
            (site.folder / "other").mkdir()
            worker.start()
            site.wait(lambda: WorkerBeat.objects.exists(), START_SECONDS, "the other host's worker")
            told = site.wait(lambda: says(ready(address)), TOLD_SECONDS, "a word of health")
            site.wait(
                lambda: WorkerBeat.objects.filter(swept__isnull=False).exists(), 30, "a sweep"
            )
            time.sleep(3)  # and more of them, the work of each minute among it
            progress = subprocess.run(
                [sys.executable, "manage.py", "check_progress"],
                cwd=PROJECT,
                capture_output=True,
                text=True,
                check=False,
            )
            kept = LooseFile.objects.exists()
            untouched = DataExport.objects.filter(begun=None).exists()
            stop([worker])

            worker.environment["VAR_DIR"] = own
            worker.start()
            seconds = site.wait(
                lambda: (
                    DataExport.objects.filter(made__isnull=False).exists()
                    and not LooseFile.objects.exists()
                    and not says(ready(address))
                ),
                2 * GOES_ON_SECONDS,
                "what was left undone",
            )
            after = ready(address)
        return Outcome(
            seconds=seconds,
            notes=(f"health: {after['status']} once it has the folder",),
            promises={
                f"health says nothing of files before ({before['status']})": not says(before),
                f"health says it after {told:.1f} s": told <= TOLD_SECONDS,
                f"check_progress ends with {progress.returncode}, and says it": (
                    progress.returncode == 1
                    and "does not see the files of this site" in progress.stdout
                ),
                "a note of a file that it cannot see is kept": kept,
                "it makes no export that nobody could fetch": untouched,
                f"with the folder, all is done {seconds:.1f} s after its start": (
                    seconds <= GOES_ON_SECONDS
                ),
            },
        )


def ready(address: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{address}/health/ready", timeout=30) as reply:
        return dict(json.load(reply))


def says(answer: dict[str, Any]) -> bool:
    return "files" in answer.get("wrong", {})


if __name__ == "__main__":
    sys.exit(play("other host", drill))
