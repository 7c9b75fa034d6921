"""The shell commands of the operators' guide, and how each block of them is tried as it stands.

Pages on benchmarks and judges are those of tests/test_readme.py."""

import re
from dataclasses import dataclass

from tests.site import PROJECT

HEADING = re.compile(r"^#+ (.+)$")
FENCE = re.compile(r"^```(\w*)$")
# In a fresh Debian, one after the other (test_guide.py), with the network and without.
NETWORK, ROOT = "a fresh root that reaches the registries", "a fresh root"
CONTAINERS = "test_guide.py::test_the_commands_for_containers_fit_the_compose_file"
SQLITE = "../judging/matrix/test_backup.py::test_the_same_holds_on_sqlite"
SITE = "test_guide.py::test_make_site_starts_what_the_tests_of_a_whole_site_start"
TRIED = {
    "Operating a site": [SITE],
    "Set up: Debian 12, one host": [NETWORK, NETWORK, *[ROOT] * 7],
    "Set up: containers": [CONTAINERS, CONTAINERS],
    "Forward": [ROOT, ROOT, CONTAINERS],
    "Back, keeping what was done since": [ROOT],
    "Back up and restore": [ROOT, ROOT, SQLITE],
    "Restore": [ROOT, SQLITE, ROOT, ROOT],
}
PAGES = ("index", "set_up_debian", "set_up_containers", "updating", "backup")


def text_of_guide() -> str:
    return "".join((PROJECT / f"docs/operator/{page}.md").read_text() for page in PAGES)


@dataclass(frozen=True)
class Block:
    section: str
    commands: str
    way: str


def blocks() -> list[Block]:
    """Every fenced block of the guide that a shell reads; KeyError or IndexError where TRIED does
    not say how one is tried."""
    found: list[Block] = []
    section, language, lines = "", None, list[str]()
    for line in text_of_guide().splitlines():
        if language is None and (heading := HEADING.match(line)):
            section = heading[1]
        elif fence := FENCE.match(line):
            if language in SHELLS:
                place = sum(block.section == section for block in found)
                found.append(Block(section, "\n".join(lines), TRIED[section][place]))
            language, lines = (fence[1] if language is None else None), []
        elif language is not None:
            lines.append(line)
    return found


SHELLS = ("sh", "bash", "shell", "console")


def tried(way: str, section: str = "") -> list[str]:
    return [b.commands for b in blocks() if b.way == way and section in ("", b.section)]
