"""A Debian that has nothing but what debootstrap gives, and commands that run in it.

Each command has processes and mounts of its own: they are gone when it ends, however it ends.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.site import PROJECT

SOURCES = (Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list"))
MIRROR = "http://deb.debian.org/debian"
OF_THE_MACHINE = re.compile(r"(PIP|UV|SSL|HTTPS?|NO)_\w+", re.IGNORECASE)
"""What this machine says of registries, proxies and certificates, and nobody else can know."""
CERTIFICATES = "/etc/certificates-of-the-host.crt"
ENTER = """mkdir -p "$1/dev/shm" && mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
mount -t proc proc "$1/proc"
chroot "$@"
exit $?"""
"""The shell stays as process 1, which the kernel keeps signals from: they reach the others."""


def missing(*, debootstrap: bool = True) -> str:
    """Why no root can be made on this machine; empty where one can."""
    if os.geteuid() != 0:
        return "needs root, to make a root of its own"
    if debootstrap and not shutil.which("debootstrap"):
        return "needs debootstrap (deploy/install_debian.sh roots)"
    isolated = subprocess.run(["unshare", "--net", "--pid", "--fork", "--mount", "true"])
    return "" if isolated.returncode == 0 else "needs namespaces (unshare)"


def mirror(sources: tuple[Path, ...] = SOURCES) -> str:
    """Where this machine has its packages from."""
    for path in sources:
        lines = path.read_text().splitlines() if path.exists() else []
        said = " ".join(line for line in lines if not line.lstrip().startswith("#"))
        if found := re.search(r"https?://\S+", said):
            return re.sub(r"/+$", "", found[0])
    return MIRROR


def make_root(root: Path, suite: str, *packages: str) -> None:
    """A bare Debian with these packages. RuntimeError with debootstrap's words if it cannot be."""
    included = [f"--include={','.join(packages)}"] if packages else []
    command = ["debootstrap", "--variant=minbase", *included, suite, str(root), mirror()]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode:
        raise RuntimeError(f"debootstrap made no {suite}: {ended.stdout[-1000:]}")


def lead_to_registries(root: Path) -> dict[str, str]:
    """The environment by which pip and uv find in the root what they find on this machine; the
    files that they read for it are copied. What names a folder of this machine is left out."""
    for name in ("resolv.conf", "hosts", "pip.conf"):
        if Path("/etc", name).exists():
            shutil.copy(Path("/etc", name), root / "etc")
    for folder in (Path.home() / ".config", Path("/etc")):
        if (folder / "uv/uv.toml").exists():
            (root / "etc/uv").mkdir(exist_ok=True)
            shutil.copy(folder / "uv/uv.toml", root / "etc/uv")
    environment = {
        name: value
        for name, value in os.environ.items()
        if OF_THE_MACHINE.fullmatch(name) and not value.startswith(("/", "file:"))
    }
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    said = subprocess.run(asked, capture_output=True, text=True)
    if index := said.stdout.strip():
        environment.setdefault("PIP_INDEX_URL", index)
    if certificates := os.environ.get("SSL_CERT_FILE"):
        shutil.copy(certificates, f"{root}{CERTIFICATES}")
        environment |= {"SSL_CERT_FILE": CERTIFICATES, "PIP_CERT": CERTIFICATES}
    return environment


def copy_of_the_code(folder: Path) -> None:
    """As it is in this checkout, in a repository to clone from."""
    names = subprocess.check_output(
        ["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=PROJECT
    )
    folder.mkdir(parents=True)
    tar = subprocess.run(
        ["tar", "-c", "--null", "-T", "-"],
        cwd=PROJECT,
        input=names,
        stdout=subprocess.PIPE,
        check=True,
    )
    subprocess.run(["tar", "-x", "--no-same-owner"], cwd=folder, input=tar.stdout, check=True)
    who = ["-c", "user.name=Test", "-c", "user.email=test@localhost"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "Code"]):
        subprocess.run(["git", *words], cwd=folder, check=True)


def entering(root: Path, *command: str, network: bool = True) -> list[str]:
    """The command of this machine that runs one in the root, with processes, mounts and, without
    `network`, a network of its own."""
    # Caddy binds low ports, which systemd would allow it.
    own = "ip link set lo up && echo 0 >/proc/sys/net/ipv4/ip_unprivileged_port_start\n"
    isolated = ["unshare", "--pid", "--fork", "--kill-child", "--mount"]
    isolated += [] if network else ["--net"]
    return [*isolated, "sh", "-ec", ("" if network else own) + ENTER, "sh", str(root), *command]
