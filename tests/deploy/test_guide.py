"""The operators' guide leads to a running site by its words alone (set_up_debian.md,
set_up_containers.md, updating.md, backup.md): each block of commands is run as it stands, those for
a host in a Debian 12 that has nothing but what debootstrap gives.

A root takes minutes: BARE_DEBIAN names one that was made before (debootstrap --variant=minbase
bookworm FOLDER), which is copied. What needs systemd goes by tests/deploy/systemctl.py.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from dotenv import dotenv_values

from tests.deploy.bare_root import (
    copy_of_the_code,
    entering,
    lead_to_registries,
    make_root,
    missing,
)
from tests.deploy.guide import (
    CONTAINERS,
    NETWORK,
    ROOT,
    SHELLS,
    SITE,
    TRIED,
    blocks,
    text_of_guide,
    tried,
)
from tests.deploy.host import DEPLOY
from tests.site import PROJECT

APT = Path("/etc/apt")
MISSING = missing(debootstrap=not os.environ.get("BARE_DEBIAN"))
# What an operator writes into site.env by hand.
FILLED_IN = """sed -i -e "s|^EMAIL_URL=.*|EMAIL_URL='smtp://localhost:25'|" \\
    -e 's|assay@example.org|assay@localhost|' /etc/assay/site.env"""
LOOK = """python3 - <<'END'
import ssl, urllib.request
trusting = ssl._create_unverified_context()
page = urllib.request.urlopen("https://localhost/", context=trusting, timeout=30)
assert page.status == 200
print(page.read().decode())
END"""
# The application's own files without bytecode of their present text.
NOT_COMPILED = """.venv/bin/python - <<'END'
import importlib.util, pathlib, struct
for room in ("benchmarks", "judging", "leaderboard"):
    for path in pathlib.Path(room).rglob("*.py"):
        kept = pathlib.Path(importlib.util.cache_from_source(str(path)))
        made = kept.exists() and struct.unpack("<I", kept.read_bytes()[8:12])[0]
        if made != int(path.stat().st_mtime):
            print("NOT COMPILED", path)
END"""


# --- every command is tried -----------------------------------------------------------------------


def test_every_command_of_the_guide_is_tried_somewhere():
    """A new block needs its row in guide.py; a new command of a block is run with it."""
    ways = {section: [b.way for b in blocks() if b.section == section] for section in TRIED}
    assert ways == TRIED
    fences = re.findall(r"^\s*(?:```|~~~)(.*)$", text_of_guide(), re.M)
    assert set(fences[::2]) <= {*SHELLS, "ini", ""}
    assert fences[1::2] == [""] * (len(fences) // 2)


def test_the_tests_that_try_commands_are_there():
    named = {way for ways in TRIED.values() for way in ways if "::" in way}
    for way in named:
        file, _, test = way.partition("::")
        assert f"def {test}(" in (Path(__file__).parent / file).read_text(), way


# --- files it tells to copy -----------------------------------------------------------------------

EXAMPLES = sorted(DEPLOY.glob("*.env.example"))
NASTY = 'a $HOME & <b> "c" #d `e` %f \\g ;h|i'


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_reads_alike_to_a_shell_and_to_others(example, tmp_path):
    """Also with every character that a password may have, but for the quote itself."""
    copy = tmp_path / "copy.env"
    for text in (
        example.read_text(),
        re.sub("'.*'$", f"'{NASTY}'".replace("\\", r"\\"), example.read_text(), flags=re.M),
    ):
        copy.write_text(text)
        read = {name: value or "" for name, value in dotenv_values(copy, interpolate=False).items()}
        ended = subprocess.run(
            ["sh", "-euc", f"set -a; . {copy}; exec env -0"], env={}, capture_output=True, text=True
        )
        assert ended.stderr == ""
        by_shell = dict(pair.split("=", 1) for pair in ended.stdout.rstrip("\0").split("\0"))
        assert {name: by_shell.get(name) for name in read} == read
    assert set(read.values()) == {NASTY}


def test_services_read_what_the_site_compiled_at_install():
    said = subprocess.run(
        ["make", "--dry-run", "install"], cwd=PROJECT, capture_output=True, text=True, check=True
    ).stdout
    compiles = "compileall -q manage.py benchmarks judging leaderboard"
    assert f"env -u PYTHONPYCACHEPREFIX .venv/bin/python -m {compiles}" in said
    image = (DEPLOY / "Containerfile").read_text()
    assert compiles in image.split("\nFROM")[1]
    for text in (image, *(path.read_text() for path in (DEPLOY / "systemd").glob("*.service"))):
        assert "PYTHONDONTWRITEBYTECODE" not in text


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("runuser"), reason="needs root, runuser")
def test_a_python_that_services_cannot_run_is_refused(tmp_path):
    """With the recipe alone: what comes before it is there."""
    hidden = tmp_path / "hidden"
    (tmp_path / ".venv/bin").mkdir(parents=True)
    hidden.mkdir(mode=0o700)
    shutil.copy(PROJECT / "Makefile", tmp_path)
    (tmp_path / "manage.py").touch()
    shutil.copy("/bin/true", hidden / "python")
    (tmp_path / ".venv/bin/python").symlink_to(hidden / "python")
    (tmp_path / ".venv/.uv").touch()
    ended = subprocess.run(["make", "install"], cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 2
    assert f"cannot run {hidden}/python" in ended.stdout
    assert "make install PYTHON=/usr/bin/python3" in ended.stdout


def test_redis_never_evicts_and_keeps_messages_in_both_set_ups():
    settings = dict(
        line.split() for line in (DEPLOY / "redis.conf").read_text().splitlines() if line[0] != "#"
    )
    command = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["redis"]["command"]
    in_containers = dict(zip((word[2:] for word in command[1::2]), command[2::2], strict=True))
    assert settings == in_containers
    assert settings["maxmemory-policy"] == "noeviction"


def test_make_site_starts_what_the_tests_of_a_whole_site_start():
    (commands,) = tried(SITE)
    dry = ["make", "--dry-run", *commands.split()[1:]]
    said = subprocess.run(dry, cwd=PROJECT, capture_output=True, text=True, check=True).stdout
    assert "exec .venv/bin/python deploy/run_site.py --demo\n" in said


# --- containers -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_commands_for_containers_fit_the_compose_file(tmp_path, monkeypatch):
    """Docker itself is not asked: one stands in that notes what it was told."""
    for folder in ("bin", "site"):
        (tmp_path / folder).mkdir()
    shutil.copytree(DEPLOY, tmp_path / "site/deploy")
    docker = tmp_path / "bin/docker"
    docker.write_text(f'#!/bin/sh\necho "$@" >>{tmp_path}/told\n')
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{docker.parent}:{os.environ['PATH']}")
    for commands in tried(CONTAINERS):
        subprocess.run(["sh", "-euc", commands], cwd=tmp_path / "site", check=True)
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    for name in {file for service in services.values() for file in service.get("env_file", [])}:
        assert (tmp_path / "site/deploy" / name).stat().st_mode & 0o777 == 0o600
    begins = "compose -f deploy/compose.yaml "
    told = (tmp_path / "told").read_text().splitlines()
    assert told.pop(0) == "compose version"
    asked = [line.removeprefix(begins) for line in told if line.startswith(begins)]
    assert len(asked) == len(told)
    inside = [line.split() for line in asked if line != "up -d --build"]
    for _, service, *command in inside:
        assert service in services
        assert command[:2] == ["python", "manage.py"]
        environment = os.environ | {"VAR_DIR": str(tmp_path / "var")}
        environment |= {"DATABASE_URL": f"sqlite:///{tmp_path}/db.sqlite3"}
        for words in (["migrate", "-v", "0"], command[2:]):
            subprocess.run(
                [sys.executable, "manage.py", *words], cwd=PROJECT, env=environment, check=True
            )


# --- a host ---------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path) -> Iterator[Path]:
    """A bare Debian 12, with the packages' sources of this machine."""
    root = tmp_path / "root"
    if made := os.environ.get("BARE_DEBIAN"):
        subprocess.run(["cp", "-a", made, root], check=True)
    else:
        make_root(root, "bookworm")
    (root / "etc/apt/sources.list").unlink(missing_ok=True)
    shutil.copytree(APT, root / "etc/apt", dirs_exist_ok=True)
    shutil.copy(Path(__file__).with_name("systemctl.py"), root / "usr/local/bin/systemctl")
    yield root
    shutil.rmtree(root)


def in_root(root: Path, script: str, *, network: bool) -> str:
    """What one shell in the root says; none of its processes outlives it."""
    environment = lead_to_registries(root) | {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "DEBIAN_FRONTEND": "noninteractive",
        "REPOSITORY": "/srv/assay",
        "SITE": "localhost",
        "ADMIN": "you@localhost",
        "BACKUP": "/srv",
    }
    if not network:
        environment["UV_OFFLINE"] = "1"  # nothing changed between the two installs
    ended = subprocess.run(
        entering(root, "bash", "-euxs", network=network),
        env=environment,
        input=script,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    logs = "".join(f"\n== {p.name}\n{p.read_text()[-1500:]}" for p in root.glob("run/units/*.log"))
    assert ended.returncode == 0, ended.stdout[-6000:] + logs
    return ended.stdout


@pytest.mark.slow
@pytest.mark.services
@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_a_bare_debian_becomes_a_site_by_the_words_of_the_guide(root):
    """One host, one way through: set up, looked at, backed up, upgraded, put back."""
    copy_of_the_code(root / "srv/assay")
    said = in_root(root, "\n".join([*tried(NETWORK), NOT_COMPILED]), network=True)
    assert "NOT COMPILED" not in said

    database, redis, settings, start, *rest = tried(ROOT, "Set up: Debian 12, one host")
    take_settings, take = tried(ROOT, "Back up and restore")
    put_back, flush, confirm = tried(ROOT, "Restore")
    keep, update = tried(ROOT, "Forward")
    (back,) = tried(ROOT, "Back, keeping what was done since")
    stop = "systemctl stop assay-web 'assay-worker@*' assay-beat"
    steps = [
        "systemctl start postgresql redis-server; cd /opt/assay",  # as the host's start does
        database,
        redis,
        settings,
        "install -d -m 700 -o assay -g assay /var/lib/assay",
        "! deploy/assay check --deploy --fail-level WARNING",
        FILLED_IN,
        start,
        *rest,
        LOOK,
        take_settings,
        take,
        keep,
        "git -C /srv/assay tag v1.0.0",  # the same code: what is tried is the way
        update,
        LOOK,
        back,
        "assay migrate --no-input",
        LOOK,
        stop,
        put_back,
        "assay migrate --no-input",
        flush,
        confirm,
        "! redis-cli -e -u redis://default:wrong@127.0.0.1:6379/0 FLUSHDB",
        'redis-cli --no-auth-warning -u "$BROKER_URL" CONFIG GET maxmemory-policy',
        "systemctl start assay-web assay-worker@1 assay-worker@2 assay-beat",
        LOOK,
        "psql \"$DATABASE_URL\" -Atc 'SELECT count(*) || chr(32) || chr(99) FROM pg_stat_activity'",
        'assay create_admin "$ADMIN"',
        stop,
    ]
    said = in_root(root, "\n".join(steps), network=False)
    assert "EMAIL_URL, DEFAULT_FROM_EMAIL: an address of the examples" in said
    assert said.count("<html") == 4
    assert "noeviction" in said
    assert "WRONGPASS" in said
