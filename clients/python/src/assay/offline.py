"""Scoring a file on this machine, by the scoring library where it is installed."""

import argparse
from importlib import import_module

from assay import printing
from assay.errors import FileRefusedError, WrongRequestError

NEEDED = "python -m pip install ./clients/scoring"


def score(options: argparse.Namespace) -> int:
    try:
        library = import_module("benchmarks.scoring.offline")
        found = library.score_file(
            options.benchmark,
            options.file,
            release=options.release,
            dataset=options.dataset,
            rules=options.rules,
        )
    except ModuleNotFoundError as error:
        what = "the scoring library" if error.name == "benchmarks" else error.name
        raise WrongRequestError(f"Needs {what}, which is not installed ({NEEDED}).") from None
    except ValueError as error:
        if not hasattr(error, "problems"):
            raise
        raise FileRefusedError("It cannot be scored:", error.problems) from None
    print(printing.as_json(found) if options.json else printing.offline_words(found))
    return 0
