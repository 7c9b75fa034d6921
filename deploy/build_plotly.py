#!/usr/bin/env python3
"""Makes the small plotly.js that boards load when a reader wants to explore a chart.

    python deploy/build_plotly.py [FOLDER]

FOLDER (var/plotly unless given; with a VAR_DIR of your own: VAR_DIR/plotly) gets plotly.min.js and
its Brotli form. Needs Node.js 18 or newer with npm, and a registry or its cache; about 25 seconds.
Where the folder is missing, the site serves the whole plotly.js of the Python package: three times
the bytes, nothing else.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # it comes without types

PROJECT = Path(__file__).resolve().parent.parent
SOURCE = PROJECT / "deploy" / "plotly"
FILES = ("package.json", "package-lock.json", ".npmrc", "bundle.cjs")
OPTIONS = (
    "--bundle",
    "--minify",
    "--format=iife",
    "--global-name=Plotly",
    "--define:global=window",
    "--loader:.css=empty",
    "--legal-comments=eof",
    "--log-level=error",
)


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "var" / "plotly"
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write(
            "Node.js with npm is not installed: boards will load the whole plotly.js, which also "
            "works.\n"
        )
        return 2
    with tempfile.TemporaryDirectory(prefix="assay-plotly-") as work:
        for name in FILES:
            shutil.copy(SOURCE / name, work)
        try:
            subprocess.run([npm, "ci", "--silent"], cwd=work, check=True)
            esbuild = Path(work, "node_modules", ".bin", "esbuild")
            subprocess.run(
                [esbuild, "bundle.cjs", *OPTIONS, "--outfile=plotly.min.js"], cwd=work, check=True
            )
        except subprocess.CalledProcessError as error:
            sys.stderr.write(f"The bundle was not built: {error}\n")
            return 1
        keep(Path(work, "plotly.min.js"), folder)
    return 0


def keep(bundle: Path, folder: Path) -> None:
    content = bundle.read_bytes()
    compressed = brotli.compress(content)
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in (("plotly.min.js.br", compressed), ("plotly.min.js", content)):
        unfinished = folder / f"{name}.part"
        unfinished.write_bytes(data)
        unfinished.replace(folder / name)
    sizes = f"{len(content) / 1000:.0f} kB, {len(compressed) / 1000:.0f} kB compressed"
    sys.stdout.write(f"{folder / 'plotly.min.js'}: {sizes}\n")


if __name__ == "__main__":
    sys.exit(main())
