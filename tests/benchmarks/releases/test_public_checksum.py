"""Whoever knows all labels of a hidden test but some finds these in no checksum by trying."""

import hashlib

from benchmarks.models import Release

CHECKSUM = hashlib.sha256(b"questions and labels").hexdigest()


def hidden(secret: str) -> Release:
    return Release(
        checksum=CHECKSUM, rounding_secret=secret, disclosure=Release.Disclosure.HIDDEN_TEST
    )


def test_of_a_hidden_test_it_depends_on_the_secret_of_the_release():
    one, other = hidden("01" * 32), hidden("02" * 32)
    told = {CHECKSUM, one.public_checksum, other.public_checksum}
    told.add(hashlib.sha256(CHECKSUM.encode()).hexdigest())
    assert len(told) == 4
    assert hidden("01" * 32).public_checksum == one.public_checksum


def test_of_an_open_release_everybody_reads_its_own():
    release = Release(checksum=CHECKSUM, disclosure=Release.Disclosure.OPEN)
    assert release.public_checksum == CHECKSUM
