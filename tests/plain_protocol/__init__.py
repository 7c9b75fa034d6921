"""Spelling once more, with answers in the files that benchmarks share: columns id and
prediction."""

from dataclasses import replace

from tests import tiny_protocol
from tests.plain_protocol import predictions

PROTOCOL = replace(tiny_protocol.PROTOCOL, slug="plain", title="Plain", predictions=predictions)
