"""What a release gives away, as files: its questions as anyone may see them, a program that answers
them, and what is to be known of both.

Nothing here knows an answer: references, descriptions and labels are in none of these files,
whether a release shows them on its pages or not.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.common.hashing import digest_of
from benchmarks.models import FigureImage, Release, ReleaseQuestion

FORM = 1
"""Of the archive: a higher number has every archive made anew."""
QUESTIONS, TEMPLATE, EXAMPLE, README = "questions.jsonl", "template.csv", "example.py", "README.txt"
AT_ONCE = 1_000
"""Questions that are in memory at a time, with their pictures' names."""


@dataclass(frozen=True, slots=True)
class Picture:
    """`name`: in the archive. `stored`: in the storage. A picture goes by its content: its name in
    the dataset may tell the answer, and may be a path."""

    sha256: str
    name: str
    stored: str


def picture_of(image: FigureImage) -> Picture:
    stored = str(image.file.name)
    suffix = stored.rpartition(".")[2]
    return Picture(image.sha256, f"pictures/{image.sha256}.{suffix}", stored)


def archive_name(release: Release) -> str:
    return f"{release.slug}.zip"


def archive_key(release: Release) -> str:
    """Of everything that an archive is made of: another one is made where it differs."""
    parts = [
        FORM,
        release.public_checksum,
        release.slug,
        release.title,
        release.creator,
        release.licence,
        release.licence_url,
        release.source,
        release.passes_pictures_on,
    ]
    return digest_of(parts)


def pictures_by_figure(figures: Iterable[int | None]) -> Mapping[int, Sequence[Picture]]:
    """Those whose files were imported, in order."""
    found: dict[int, list[Picture]] = {}
    wanted = {figure for figure in figures if figure}
    for image in FigureImage.objects.filter(figure__in=wanted).exclude(sha256=""):
        found.setdefault(image.figure_id, []).append(picture_of(image))
    return found


def question_batches(
    release: Release,
) -> Iterator[tuple[Sequence[Mapping[str, object]], Sequence[Picture]]]:
    """The questions in file order, some at a time, and the pictures that these name."""
    members = ReleaseQuestion.objects.filter(release=release).order_by("position")
    rows = members.select_related("question__subtask__ability")
    for first in range(0, release.question_count, AT_ONCE):
        questions = [member.question for member in rows[first : first + AT_ONCE]]
        pictures = pictures_by_figure(question.figure_id for question in questions)
        shown = [pictures.get(question.figure_id or 0, ()) for question in questions]
        lines = [
            {
                "id": question.public_id,
                "question": question.text,
                "pictures": [picture.name for picture in own],
                "ability": question.subtask.ability.slug,
                "subtask": question.subtask.slug,
                "facts": question.facts,
            }
            for question, own in zip(questions, shown, strict=True)
        ]
        yield lines, [picture for own in shown for picture in own]


def question_line(question: Mapping[str, object]) -> str:
    return json.dumps(question, ensure_ascii=False) + "\n"


# --- the program ----------------------------------------------------------------------------------

PROGRAM = '''\
"""Answers every question of RELEASE and writes the file to submit.

Needs Python alone, and RELEASE.zip in the same folder.
"""

import json
import zipfile


def answer(pictures: list[bytes], question: str) -> str:
    """Ask your model here. A question may have several pictures, or none."""
    return "Yes"


with zipfile.ZipFile("RELEASE.zip") as archive, open("answers.jsonl", "w") as file:
    there = set(archive.namelist())
    for line in archive.open("questions.jsonl"):
        question = json.loads(line)
        pictures = [archive.read(name) for name in question["pictures"] if name in there]
        prediction = answer(pictures, question["question"])
        file.write(json.dumps({"id": question["id"], "prediction": prediction}) + "\\n")
'''


def example_program(release: Release) -> str:
    """Python text that makes a whole submission of the archive, with one answer to everything."""
    return PROGRAM.replace("RELEASE", release.slug)


# --- in words -------------------------------------------------------------------------------------


def readme(release: Release, *, pictures: int, missing: int) -> str:
    """What stands beside the questions in the archive."""
    parts = (
        f"{release.title}\nRelease {release.slug}, language {release.language}, "
        f"{release.question_count:,} questions.",
        f"Checksum of its content: {release.public_checksum}",
        terms_text(release),
        f"{QUESTIONS}: a question per line, as JSON: id, question, pictures (names of files in this"
        f" archive), ability, subtask, facts.\n{TEMPLATE}: the same ids and texts as a table; fill"
        f" in its column prediction and submit it.\n{EXAMPLE}: reads this archive and writes a "
        "file to submit; put your model into its function.",
        pictures_text(release, pictures=pictures, missing=missing),
        "References, descriptions and labels are not in this archive.",
    )
    return "\n\n".join(parts) + "\n"


def terms_text(release: Release) -> str:
    licence = " ".join(filter(None, (release.licence, release.licence_url)))
    lines = (
        f"Made by: {release.creator or 'not said'}",
        f"Licence: {licence or 'not said; ask who made the dataset before you pass it on'}",
        f"Source: {release.source or 'not said'}",
    )
    return "\n".join(lines)


def pictures_text(release: Release, *, pictures: int, missing: int) -> str:
    if not release.passes_pictures_on:
        return (
            "The pictures are not in this archive: nobody said that their licence lets this site "
            "pass them on.\nTake them from the dataset itself. Each goes by the SHA-256 of its "
            "bytes: pictures/SHA-256.png, .jpg, .webp or .gif."
        )
    text = f"pictures/: {pictures:,} files, each named by the SHA-256 of its bytes."
    if missing:
        text += f"\n{missing:,} more could not be read when this archive was made."
    return text
