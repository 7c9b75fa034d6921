"""assay: hand answers in to an Assay leaderboard, and read its boards."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay import printing
from assay.answers import filled
from assay.errors import AssayError, FileRefusedError, WrongRequestError
from assay.offline import score
from assay.progress import Progress, duration_words
from assay.site import Document, Site

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # generic only in the stubs

STATUSES = """exit status:
  0  done
  1  the file is refused; what is wrong with it is told
  2  the command or something it names is not known
  3  the site does not answer, or failed
  4  not judged in time; it goes on, `assay watch` looks again
  5  there is no token, or it is not made for this
  6  no place for another file now

The address of the site and a token are read from ASSAY_URL and ASSAY_TOKEN."""
TEAM = "name or number of a team of yours that it is submitted for"
MOST_PROBLEMS = 20
"""That are printed: what is left shows itself once these are mended."""


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if not options.site and options.run is not score:
        print("Say which site: --site https://… or ASSAY_URL.", file=sys.stderr)
        return 2
    try:
        if options.run is score:
            return int(options.run(options))
        token = os.environ.get("ASSAY_TOKEN")
        with Site(options.site, token, waiting=None if options.quiet else tell_waiting) as site:
            return int(options.run(site, options))
    except FileRefusedError as error:
        print(error, file=sys.stderr)
        tell_problems(error.problems)
        return error.exit_status
    except AssayError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        return 0
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def tell_waiting(why: str, seconds: float) -> None:
    left = duration_words(seconds)
    print(f"{why} Asking again, for {left} at most; Ctrl-C ends it.", file=sys.stderr)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        prog="assay",
        description=__doc__,
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument(
        "-q", "--quiet", action="store_true", help="nothing but results and what is wrong"
    )
    found.add_argument("--site", default=os.environ.get("ASSAY_URL", ""), metavar="ADDRESS")
    commands = found.add_subparsers(required=True, metavar="COMMAND")
    add_reading(commands)
    add_handing_in(commands)
    add_changing(commands)
    add_scoring(commands)
    return found


def add_reading(commands: "Commands") -> None:
    one = commands.add_parser("releases", help="list what answers can be submitted to")
    one.add_argument("--json", action="store_true")
    one.set_defaults(run=releases)
    for name, run, about in (
        ("template", template, "write a CSV with the id of every question"),
        ("questions", questions, "write the questions as JSON lines"),
    ):
        one = commands.add_parser(name, help=about)
        one.add_argument("release")
        one.add_argument("--out", type=Path, metavar="FILE")
        one.set_defaults(run=run)
        if run is template:
            one.add_argument("--fill", default="", metavar="ANSWER", help="to try the way")
    one = commands.add_parser("board", help="print a board")
    one.add_argument("benchmark")
    one.add_argument("--format", choices=printing.BOARD_FORMATS, default="table")
    for name in ("release", "judge", "measure", "as-of"):
        one.add_argument(f"--{name}", default="")
    one.set_defaults(run=board)
    one = commands.add_parser("verdicts", help="write every verdict of an entry as JSON lines")
    one.add_argument("submission")
    one.set_defaults(run=verdicts)


def add_handing_in(commands: "Commands") -> None:
    one = commands.add_parser("check", help="say what is wrong with a file; nothing is submitted")
    one.add_argument("file", type=Path)
    one.add_argument("--release", default="")
    one.add_argument("--model", default="check")
    one.add_argument("--team", default="", help=TEAM)
    one.set_defaults(run=check)
    one = commands.add_parser("submit", help="hand a file in; twice the same is one submission")
    one.add_argument("file", type=Path)
    owner = one.add_mutually_exclusive_group(required=True)
    owner.add_argument("--model", default="", help="name of the model")
    owner.add_argument(
        "--replaces", default="", metavar="ID", help="of yours, whose place it takes once judged"
    )
    one.add_argument("--release", default="", help="unless given, the ids of the file tell it")
    one.add_argument("--team", default="", help=TEAM)
    one.add_argument("--organisation", default="")
    one.add_argument("--link", default="", help="paper, code or weights")
    one.add_argument("--open-weights", action="store_true")
    one.add_argument("--public", action="store_true", help="on the board once it is judged")
    one.add_argument("--again", action="store_true", help="although it was submitted before")
    one.add_argument("--wait", action="store_true", help="until it is judged, and print its score")
    add_timeout(one)
    one.set_defaults(run=submit)
    one = commands.add_parser("watch", help="wait until a submission is judged")
    one.add_argument("submission")
    add_timeout(one)
    one.set_defaults(run=watch)


def add_timeout(one: argparse.ArgumentParser) -> None:
    one.add_argument("--timeout", type=float, default=3600.0, metavar="SECONDS")


def add_changing(commands: "Commands") -> None:
    for name, run, about in (
        ("publish", Site.publish, "put a submission on its board"),
        ("make-private", Site.make_private, "take it from the board"),
        ("retry", Site.retry, "ask again for what ended without a verdict; it may cost"),
    ):
        one = commands.add_parser(name, help=about)
        one.add_argument("submission")
        one.set_defaults(
            run=lambda site, options, change=run: tell_change(change(site, options.submission))
        )
    one = commands.add_parser("withdraw", help="take it from the board for good")
    one.add_argument("submission")
    one.add_argument("--reason", default="", help="for those who cited it; public if it was")
    one.add_argument("--yes", action="store_true", help="without being asked")
    one.set_defaults(run=withdraw)


def add_scoring(commands: "Commands") -> None:
    one = commands.add_parser("score", help="score a file by offline rules, without a site")
    one.add_argument("benchmark")
    one.add_argument("file", type=Path)
    one.add_argument("--release", default="", help="one that ships with the benchmark, or a name")
    one.add_argument("--dataset", type=Path, metavar="FILE", help="an official file of questions")
    one.add_argument("--rules", default="", metavar="NAME", help="others than the usual ones")
    one.add_argument("--json", action="store_true", help="every figure, unrounded")
    one.set_defaults(run=score)


# --- reading --------------------------------------------------------------------------------------


def releases(site: Site, options: argparse.Namespace) -> int:
    found = list(site.releases())
    if options.json:
        print(printing.as_json(found))
        return 0
    rows = [
        [one["slug"], one["benchmark"], f"{one['question_count']:,}", one["state"]] for one in found
    ]
    print(printing.table(["release", "benchmark", "questions", "state"], rows))
    return 0


def template(site: Site, options: argparse.Namespace) -> int:
    text = site.template(options.release)
    return write_out([filled(text, options.fill) if options.fill else text], options.out)


def questions(site: Site, options: argparse.Namespace) -> int:
    found = site.questions(options.release)
    return write_out((f"{printing.as_line(one)}\n" for one in found), options.out)


def write_out(parts: Iterable[str], out: Path | None) -> int:
    if out is None:
        sys.stdout.writelines(parts)
        return 0
    with out.open("w", encoding="utf-8", newline="") as file:
        file.writelines(parts)
    return 0


def board(site: Site, options: argparse.Namespace) -> int:
    asked = {name: getattr(options, name) for name in ("release", "judge", "measure", "as_of")}
    found = site.board(options.benchmark, **{name: text for name, text in asked.items() if text})
    print(printing.BOARD_FORMATS[options.format](found))
    return 0


def verdicts(site: Site, options: argparse.Namespace) -> int:
    for line in site.verdict_lines(options.submission):
        print(line)
    return 0


# --- handing in -----------------------------------------------------------------------------------


def check(site: Site, options: argparse.Namespace) -> int:
    if not site.has_token:
        problems = site.check_locally(options.file, release=options.release)
        if problems:
            tell_problems(problems)
            print("With ASSAY_TOKEN the site says more of it.", file=sys.stderr)
            return FileRefusedError.exit_status
        print("Nothing is wrong with it, as far as can be told without ASSAY_TOKEN.")
        return 0
    found = site.check(
        options.file, model=options.model, release=options.release, team=options.team
    )
    print(f"Valid: {'; '.join(printing.estimate_words(found)).removesuffix('.')}.")
    tell_notes(found, options)
    return 0


def submit(site: Site, options: argparse.Namespace) -> int:
    facts = {
        "team": options.team,
        "organisation": options.organisation,
        "link": options.link,
        "open_weights": "true" if options.open_weights else "",
        "visibility": "public" if options.public else "",
    }
    with Progress(is_quiet=options.quiet) as progress:
        found = site.submit(
            options.file,
            model=options.model,
            release=options.release,
            replaces=options.replaces,
            again=options.again,
            on_progress=lambda sent, of: progress.show(f"sending {options.file.name}", sent, of),
            **{name: fact for name, fact in facts.items() if fact},
        )
    tell_notes(found, options)
    print(found["links"]["page"])
    return wait(site, found["id"], options) if options.wait else 0


def watch(site: Site, options: argparse.Namespace) -> int:
    return wait(site, options.submission, options)


def wait(site: Site, submission_id: str, options: argparse.Namespace) -> int:
    with Progress(is_quiet=options.quiet) as progress:

        def show_update(found: Document) -> None:
            done, total = found["judgements_done"], found["judgements"]
            progress.show(printing.progress_words(found), done, total)

        found = site.wait(submission_id, timeout_seconds=options.timeout, on_progress=show_update)
    if found["state"] != "judged":
        print(found["sentence"], file=sys.stderr)
        return 4
    print(score_of(site, submission_id))
    return 0


def score_of(site: Site, submission_id: str) -> str:
    entry = site.entry(submission_id)
    (benchmark,) = (one for one in site.benchmarks() if one["slug"] == entry["benchmark"])
    place = None
    if entry["visibility"] == "public":
        asked = {"release": entry["release"], "judge": entry["judge"], "q": entry["model"]}
        rows = site.board(entry["benchmark"], **asked)["entries"]
        place = next((row for row in rows if row["id"] == entry["id"]), None)
    return printing.score_words(entry, benchmark, place)


def tell_notes(found: Document, options: argparse.Namespace) -> None:
    for note in () if options.quiet else found["notes"]:
        print(f"Note: {note['message']}", file=sys.stderr)


def tell_problems(problems: Sequence[str]) -> None:
    for sentence in problems[:MOST_PROBLEMS]:
        print(sentence, file=sys.stderr)
    if len(problems) > MOST_PROBLEMS:
        print(f"… and {len(problems) - MOST_PROBLEMS:,} more", file=sys.stderr)


def withdraw(site: Site, options: argparse.Namespace) -> int:
    """Asks first: nothing brings it back."""
    if not options.yes:
        if not sys.stdin.isatty():
            print("A withdrawal is for good. Say --yes where nobody can be asked.", file=sys.stderr)
            return WrongRequestError.exit_status
        found = site.watch(options.submission)
        print(
            f"Withdraw {found['model']} on {found['release']} for good? [y/N] ", end="", flush=True
        )
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print("Nothing changed.")
            return 0
    return tell_change(site.withdraw(options.submission, reason=options.reason))


def tell_change(found: Document) -> int:
    print(f"{found['model']} on {found['release']}: {found['state']}, {found['visibility']}")
    return 0
