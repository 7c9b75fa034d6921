"""The list of planted faults fits the code of today: whether tests see them is `make
planted-faults`' to say."""

import tomllib
from collections.abc import Callable, Mapping

from django.template import engines

from tests.planted_faults import Fault, read_faults
from tests.site import PROJECT

COMPILERS: Mapping[str, Callable[[str], object]] = {
    ".py": lambda text: compile(text, "planted", "exec"),
    ".html": lambda text: engines["django"].from_string(text),
    ".txt": lambda text: engines["django"].from_string(text),
    ".toml": tomllib.loads,
}


def test_sixty_faults_and_ten_spare_ones_are_listed_once() -> None:
    faults = read_faults()
    assert sum(not fault.spare for fault in faults) == 60
    assert sum(fault.spare for fault in faults) == 10
    assert len({(fault.file, fault.old) for fault in faults}) == len(faults)
    assert [fault.noticed for fault in faults if not fault.noticed.endswith(".")] == []


def test_every_fault_can_be_planted_and_compiles() -> None:
    assert [said for fault in read_faults() if (said := misfit(fault))] == []


def misfit(fault: Fault) -> str:
    """Why the fault cannot be planted in the code of today; empty where it can."""
    if fault.new == fault.old:
        return f"{fault.file}: {fault.old!r} is no fault"
    try:
        COMPILERS[(PROJECT / fault.file).suffix](fault.planted_in(PROJECT))
    except Exception as error:
        return f"{fault.file}: {error}"
    return ""
