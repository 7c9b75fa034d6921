"""A file system of two megabytes that really is full."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest


@contextmanager
def mounted_disk(size: str = "2m") -> Iterator[Path]:
    """Skips the test where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    with TemporaryDirectory(prefix="assay-disk-") as name:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "assay-tests", name]
        mounted = subprocess.run(command, capture_output=True)
        if mounted.returncode:
            pytest.skip(f"no small disk: {mounted.stderr.decode()}")
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


@contextmanager
def filled(disk: Path, *, leave: int = 0) -> Iterator[None]:
    """But for `leave` bytes nothing more fits on the disk."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while shutil.disk_usage(disk).free > leave:
            file.write(bytes(4096))
    try:
        yield
    finally:
        ballast.unlink()
