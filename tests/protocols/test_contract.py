"""Every benchmark family keeps the contract: those of the site, the worked example, and a freshly
begun one."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.protocols.base import BundledRelease
from benchmarks.registry import protocols
from examples.picture_choice import PROTOCOL as EXAMPLE
from tests import tiny_protocol
from tests.protocols.contract import CLAUSES

WORDS = Path(tiny_protocol.__file__).parent / "words.txt"
SPELLING = replace(
    tiny_protocol.PROTOCOL,
    bundled=(BundledRelease("words", "Words", WORDS),),
)
FAMILIES = {**protocols(), EXAMPLE.slug: EXAMPLE, SPELLING.slug: SPELLING}


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
@pytest.mark.parametrize("slug", FAMILIES)
def test_every_family_keeps_the_contract(slug, clause):
    clause(FAMILIES[slug])
