"""Files as researchers make them, for the releases that ship: what becomes of each, and what mends
those that are refused.

A row is a `Made`. It is read twice, with its release chosen and told by its ids. To add rows, write
a function that yields them and name it in `GROUPS`. `python -m tests.submissions.researchers_files
FOLDER` writes the files.
"""

import csv
import gzip
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.protocols.base import QuestionRow, Upload
from benchmarks.registry import protocols

HB, EHUB = "hallusionbench-mini", "tiny-lvlm-ehub-mini"
ABILITY, TS = "tiny-lvlm-ehub-ability-mini", "touchstone-mini"
INVENTED = "touchstone-hallucination-mini"
IMAGES = "hallusionbench-images"
"""Of the bundled file, images only: no release that ships."""

Change = Callable[[Upload], Upload]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Made:
    """A file with the answers to all questions of `release`, and what happened to it.

    says: words of the refusal; empty where it is read, and then `notes` are codes among its notes.
    answers: those to be read, where they are others than `answers_of(release)`. mend: what the
    refusal says is to be done, by a program; it must then be read. chosen: whether a release is
    named; both ways, unless said. read_as: the release to which it is handed in.
    """

    name: str
    release: str
    upload: Upload
    says: str = ""
    notes: tuple[str, ...] = ()
    answers: Mapping[str, str] | None = None
    mend: Change | None = None
    chosen: tuple[bool, ...] = (True, False)
    read_as: str = ""

    def __str__(self) -> str:
        return f"{self.release}: {self.name}"

    @property
    def expected(self) -> Mapping[str, str]:
        return answers_of(self.release) if self.answers is None else self.answers


@cache
def questions_of(slug: str) -> tuple[QuestionRow, ...]:
    for family in protocols().values():
        for bundled in family.bundled:
            content = io.BytesIO(bundled.dataset.read_bytes())
            if bundled.slug == slug:
                return rows_in(family.dataset.read(content))
            if slug == IMAGES and family.parts:
                return rows_in(family.parts["images"].read(content))
    raise AssertionError(slug)


def rows_in(items: Iterator[object]) -> tuple[QuestionRow, ...]:
    return tuple(item for item in items if isinstance(item, QuestionRow))


@cache
def answers_of(slug: str) -> Mapping[str, str]:
    """By id, in the order of the release; no two alike."""
    numbered = enumerate(questions_of(slug), 1)
    return {row.public_id: f"Yes, as number {n} shows." for n, row in numbered}


# --- writing --------------------------------------------------------------------------------------


def rows(slug: str, id_: str = "id", answer: str = "prediction") -> Rows:
    return [{id_: key, answer: text} for key, text in answers_of(slug).items()]


def table(rows: Rows, delimiter: str = ",", name: str = "answers.csv", **how: Any) -> Upload:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n", **how)
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return Upload(name, text.getvalue().encode())


def lines(rows: Rows, name: str = "answers.jsonl") -> Upload:
    return Upload(name, "".join(f"{json.dumps(row)}\n" for row in rows).encode())


def document(content: object, name: str = "answers.json", **how: Any) -> Upload:
    return Upload(name, json.dumps(content, **how).encode())


def workbook(rows: Rows, name: str = "answers.xlsx") -> Upload:
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    file = io.BytesIO()
    book.save(file)
    return Upload(name, file.getvalue())


def parquet(rows: Rows) -> Upload:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), file)
    return Upload("answers.parquet", file.getvalue())


def renamed(rows: Rows, **names: str) -> Rows:
    return [{names.get(key, key): value for key, value in row.items()} for row in rows]


def with_ids(slug: str, change: Callable[[str], object]) -> Rows:
    return [{**row, "id": change(row["id"])} for row in rows(slug)]


def with_answers(slug: str, changes: Mapping[int, object]) -> Rows:
    """Other answers in some rows, from 0."""
    return [
        {**row, "prediction": changes.get(number, row["prediction"])}
        for number, row in enumerate(rows(slug))
    ]


def text_of(change: Callable[[str], str]) -> Change:
    """Another text in the file."""
    return lambda upload: replace(upload, content=change(upload.content.decode()).encode())


def bytes_of(change: Callable[[bytes], bytes]) -> Change:
    return lambda upload: replace(upload, content=change(upload.content))


def called(name: str) -> Change:
    return lambda upload: replace(upload, name=name)


def header(**names: str) -> Change:
    """Columns of a table under other names."""

    def change(text: str) -> str:
        first, _, rest = text.partition("\n")
        return ",".join(names.get(name, name) for name in first.split(",")) + "\n" + rest

    return text_of(change)


def instead(made: Rows, write: Callable[[Rows], Upload] = table) -> Change:
    """What a program writes once it is mended: the rows as they should have been."""
    return lambda upload: write(made)


# --- names of columns -----------------------------------------------------------------------------


def names_of_columns() -> Iterator[Made]:
    for slug in (HB, EHUB, ABILITY, TS, INVENTED):
        for id_, answer in (("index", "prediction"), ("question_id", "response")):
            file = table(rows(slug, id_, answer))
            if (slug, id_) == (TS, "question_id"):
                yield Made(
                    f"{id_} and {answer}",
                    slug,
                    file,
                    says='If "question_id" holds it, name that field "index".',
                    mend=header(question_id="index"),
                )
                continue
            yield Made(
                f"{id_} and {answer}",
                slug,
                file,
                says=f'If "{id_}" holds it, name that field "id".',
                mend=header(**{id_: "id", answer: "prediction"}),
            )
    for id_, answer in (
        *(("id", "model_answer"), ("id", "output"), ("qid", "pred"), ("uid", "generated_text")),
        *(("key", "model_response"), ("id", "answer")),
    ):
        yield Made(
            f"{id_} and {answer}",
            HB,
            table(rows(HB, id_, answer)),
            says=f'If "{answer}" holds it, name that field "prediction".',
            mend=header(**{id_: "id", answer: "prediction"}),
        )
    yield Made(
        "the names of the official table",
        INVENTED,
        table(rows(INVENTED, "index", "response")),
        says='If "index" holds it, name that field "id".',
        mend=header(index="id", response="prediction"),
    )
    yield Made(
        "names in capitals",
        HB,
        table(rows(HB, "ID", "Prediction")),
        says='Did you mean "id"?',
        mend=header(ID="id", Prediction="prediction"),
    )
    yield Made(
        "question_id and answer of whole ids",
        EHUB,
        table(rows(EHUB, "question_id", "answer")),
        says='The field "dataset" is missing.',
        mend=header(question_id="id", answer="prediction"),
    )
    scored = [{**row, "score": 1} for row in rows(HB)]
    yield Made(
        "a column of scores",
        HB,
        table(scored),
        says='The field "score" is unknown.',
        mend=instead(rows(HB)),
    )
    for name in ("", "Unnamed: 0"):
        indexed = [{name: n, **row} for n, row in enumerate(rows(TS))]
        yield Made(
            f"an index of pandas, {name or 'unnamed'}",
            TS,
            table(indexed),
            says="with to_csv(…, index=False)",
            mend=instead(rows(TS)),
        )
    yield Made(
        "no header",
        HB,
        text_of(lambda text: text.partition("\n")[2])(table(rows(HB))),
        says="The first line must be a header",
        mend=text_of(lambda text: f"id,prediction\n{text}"),
    )
    yield Made(
        "columns exchanged", ABILITY, table([dict(reversed(r.items())) for r in rows(ABILITY)])
    )


# --- ids ------------------------------------------------------------------------------------------


def writings_of_ids() -> Iterator[Made]:
    whole = instead(rows(HB))
    for name, change, reason in (
        ("in lower case", str.lower, "in different upper and lower case"),
        ("with underscores", lambda id_: id_.replace("/", "_"), "with other signs between"),
        ("with dashes", lambda id_: id_.replace("/", "-"), "with other signs between"),
        ("with backslashes", lambda id_: id_.replace("/", "\\"), "with other signs between"),
        (
            "lower, with underscores",
            lambda id_: id_.lower().replace("/", "_"),
            "written differently",
        ),
        ("with blanks behind", lambda id_: f"{id_} ", "with a blank"),
        ("with numbers as 0.0", lambda id_: id_ + ".0", "rewritten as a number"),
        ("in full width", lambda id_: id_.replace("0", "０"), "in full-width"),
    ):
        yield Made(f"ids {name}", HB, table(with_ids(HB, change)), says=reason, mend=whole)
    yield Made(
        "ids in lower case",
        EHUB,
        table(with_ids(EHUB, str.lower)),
        says='Did you mean "ImageNet/000001"? Yours is in different upper and lower case',
        mend=instead(rows(EHUB)),
    )
    yield Made(
        "ids without leading noughts",
        EHUB,
        table(with_ids(EHUB, lambda id_: id_.replace("/0000", "/").replace("/0", "/"))),
        says="rewritten as a number",
        mend=instead(rows(EHUB)),
    )
    yield Made(
        "ids in lower case",
        TS,
        table(with_ids(TS, str.lower)),
        says='Did you mean "A001"?',
        mend=instead(rows(TS)),
    )
    yield Made(
        "ids of the hallucination score handed in to the other",
        INVENTED,
        table(rows(INVENTED)),
        says="29 of 101 answers are missing",
        chosen=(True,),
        read_as=TS,
        mend=instead(rows(TS)),
        answers=answers_of(TS),
    )
    yield Made("its ids alone tell it", INVENTED, table(rows(INVENTED)), chosen=(False,))
    yield Made(
        "one id misspelt",
        HB,
        table([{**rows(HB)[0], "id": "VD/figur/0/0/0"}, *rows(HB)[1:]]),
        says='Did you mean "VD/figure/0/0/0"?',
        mend=whole,
    )
    yield Made(
        "a row missing", HB, table(rows(HB)[:-1]), says="1 of 80 answers is missing", mend=whole
    )
    yield Made(
        "a row twice",
        HB,
        table([rows(HB)[3], *rows(HB)[:3], *rows(HB)[3:79]]),
        says="is already on line",
        mend=whole,
    )
    yield Made(
        "an id with two answers",
        HB,
        table([{**rows(HB)[3], "prediction": "No."}, *rows(HB)[:3], *rows(HB)[3:79]]),
        says="with another answer",
        mend=whole,
    )
    yield Made(
        "a row too many",
        HB,
        table([*rows(HB), {"id": "VD/figure/9/9/9", "prediction": "x"}]),
        says="There are more rows than questions (80).",
        mend=whole,
    )
    yield Made(
        "numbers for ids",
        TS,
        document(with_ids(TS, lambda id_: int(id_[1:]))),
        says="holds a number, not a text",
        mend=instead(rows(TS)),
    )
    yield Made(
        "ids of nobody",
        HB,
        table(with_ids(HB, lambda id_: f"MME/{id_[::-1]}x")),
        says="no release has more than half of these ids",
        chosen=(False,),
    )


# --- calls that failed ----------------------------------------------------------------------------

FAILED = "Failed to obtain answer via API."
LAYOUTS: Mapping[str, Callable[[Rows], Upload]] = {
    "CSV": table,
    "TSV": lambda rows: table(rows, "\t", "answers.tsv"),
    "JSON lines": lines,
    "JSON": document,
    "an object by id": lambda rows: document({row["id"]: row["prediction"] for row in rows}),
    "a workbook": workbook,
    "Parquet": parquet,
    "the official JSON": lambda rows: document(official(rows)),
}


def official(plain: Rows) -> Rows:
    """Rows of HallusionBench as its own file has them."""
    names = ("category", "subcategory", "set_id", "figure_id", "question_id")
    return [
        {
            **dict(zip(names, row["id"].split("/"), strict=True)),
            "question": "Is it?",
            "gt_answer": "1",
            "model_prediction": row["prediction"],
        }
        for row in plain
    ]


def kit(plain: Rows) -> Rows:
    """Rows as VLMEvalKit has them."""
    return [
        {
            "index": "_".join(("hallusion", *row["id"].split("/"))),
            "category": row["id"].split("/")[0],
            "l2-category": "_".join(row["id"].split("/")[:2]),
            "prediction": row["prediction"],
        }
        for row in plain
    ]


def failed_calls() -> Iterator[Made]:
    for name, write in LAYOUTS.items():
        failed = with_answers(HB, dict.fromkeys(range(0, 80, 4), FAILED))
        yield Made(
            f"20 failed calls in {name}",
            HB,
            write(failed),
            says="This reports a failed call",
            mend=instead(rows(HB), write=write),
        )
        nans = with_answers(HB, dict.fromkeys(range(9), "nan"))
        read = {row["id"]: row["prediction"] for row in nans}
        yield Made(
            f"nan nine times in {name}", HB, write(nans), notes=("placeholders",), answers=read
        )
    for text in (
        "Error code: 429 - {'error': {'message': 'Rate limit reached'}}",
        "openai.RateLimitError: Error code: 429",
        "HTTPSConnectionPool(host='api.example.org', port=443): Max retries exceeded",
        "requests.exceptions.ReadTimeout: timed out",
        "\u200bFailed to obtain answer via API",
    ):
        yield Made(
            f"an answer {text[:20]!a}",
            TS,
            table(with_answers(TS, {5: text})),
            says="a failed call",
            mend=instead(rows(TS)),
        )
    for text in (
        *("None", "null", "N/A", "#N/A", "Request timed out.", "502 Bad Gateway"),
        "Traceback (most recent call last):\n  File",
        '{"error": {"code": 500}}',
    ):
        read = {**answers_of(TS), list(answers_of(TS))[5]: text}
        yield Made(
            f"an answer {text[:20]!a}",
            TS,
            lines(with_answers(TS, {5: text})),
            notes=("placeholders",),
            answers=read,
        )
    empty = {**answers_of(HB), list(answers_of(HB))[5]: ""}
    yield Made(
        "an empty cell",
        HB,
        workbook(with_answers(HB, {5: None})),
        notes=("empty-answers",),
        answers=empty,
    )


# --- JSON -----------------------------------------------------------------------------------------


def shapes_of_json() -> Iterator[Made]:
    for slug in (HB, EHUB, TS):
        inner = rows(slug)
        for name, content in (
            ("results", {"results": inner}),
            ("the model and results", {"model": "ours", "results": inner}),
            ("results and a time", {"results": inner, "time": 3}),
        ):
            yield Made(
                name,
                slug,
                document(content),
                says='The rows are in a list under "results". Submit only that list.',
                mend=lambda upload: document(json.loads(upload.content)["results"]),
            )
        yield Made(
            "answers under a key",
            slug,
            document({"model": "ours", "answers": dict(answers_of(slug))}),
            says='The answers are under "answers". Submit only that object.',
            mend=lambda upload: document(json.loads(upload.content)["answers"]),
        )
        by_column = {
            name: {str(n): row[name] for n, row in enumerate(inner)}
            for name in ("id", "prediction")
        }
        yield Made(
            "columns of pandas",
            slug,
            document(by_column),
            says='to_json(…, orient="records")',
            mend=instead(inner, write=document),
        )
        yield Made("an object by id", slug, document(dict(answers_of(slug))))
    yield Made("JSON named .csv", HB, document(rows(HB), "answers.csv"), notes=("other-kind",))
    yield Made(
        "JSON over lines named .csv",
        EHUB,
        document(rows(EHUB), "answers.csv", indent=0),
        notes=("other-kind",),
    )
    yield Made("JSON lines named .tsv", TS, lines(rows(TS), "answers.tsv"), notes=("other-kind",))
    yield Made(
        "an object by id named .csv",
        TS,
        document(dict(answers_of(TS)), "answers.csv"),
        notes=("other-kind",),
    )
    yield Made(
        "a table named .json", HB, table(rows(HB), name="answers.json"), notes=("other-kind",)
    )
    yield Made(
        "JSON lines named .json",
        HB,
        lines(rows(HB), "answers.json"),
        says="Name it .jsonl",
        mend=called("answers.jsonl"),
    )
    yield Made(
        "JSON named .jsonl",
        HB,
        document(rows(HB), "answers.jsonl"),
        says="Name it .json",
        mend=called("answers.json"),
    )
    yield Made(
        "a comma behind the last row",
        HB,
        text_of(lambda text: f"{text[:-1]},]")(document(rows(HB))),
        says="There is a comma before a closing bracket",
        mend=text_of(lambda text: text.replace(",]", "]")),
    )
    yield Made(
        "single quotes, as Python prints",
        HB,
        Upload("a.json", str(rows(HB)).encode()),
        says="JSON strings need double quotes",
        mend=instead(rows(HB), write=document),
    )
    yield Made(
        "cut off",
        HB,
        bytes_of(lambda content: content[:-40])(document(rows(HB))),
        says="The text ends in the middle",
        mend=instead(rows(HB), write=document),
    )
    for name, value, kind in (
        *(("a number", 1, "a number"), ("true", True, "a boolean"), ("a list", ["x"], "a list")),
        ("null", None, "null"),
    ):
        yield Made(
            f"{name} for an answer",
            HB,
            lines(with_answers(HB, {2: value})),
            says=f"holds {kind}, not a text",
            mend=instead(rows(HB), write=lines),
        )


# --- tables, workbooks, bytes ---------------------------------------------------------------------


def tables_and_workbooks() -> Iterator[Made]:
    comma = table(rows(HB), quoting=csv.QUOTE_ALL)
    yield Made("all quoted", HB, comma)
    yield Made(
        "semicolons",
        HB,
        table(rows(HB), ";"),
        says="looks like ; (semicolons)",
        mend=instead(rows(HB)),
    )
    yield Made(
        "tabs in a .csv",
        HB,
        table(rows(HB), "\t"),
        says="(tabs), not commas",
        mend=called("answers.tsv"),
    )
    unquoted = text_of(lambda text: text.replace('"', ""))(table(rows(HB)))
    yield Made(
        "commas without quotes",
        HB,
        unquoted,
        says="A text with commas needs quotes.",
        mend=instead(rows(HB)),
    )
    yield Made(
        "a quote never closed",
        HB,
        text_of(lambda text: text[:-2])(comma),
        says="never closed",
        mend=instead(rows(HB)),
    )
    yield Made(
        "a blank line inside",
        HB,
        text_of(lambda text: text.replace("\n", "\n\n", 5))(comma),
        says="There is a blank line between rows",
        mend=text_of(lambda text: text.replace("\n\n", "\n")),
    )
    yield Made("line ends of Windows", HB, bytes_of(lambda b: b.replace(b"\n", b"\r\n"))(comma))
    yield Made(
        "a byte-order mark",
        HB,
        bytes_of(lambda content: b"\xef\xbb\xbf" + content)(comma),
        notes=("bom",),
    )
    yield Made(
        "UTF-16",
        HB,
        bytes_of(lambda content: content.decode().encode("utf-16"))(comma),
        says="Save it as UTF-8",
        mend=instead(rows(HB)),
    )
    yield Made(
        "Latin-1",
        HB,
        bytes_of(lambda b: b.replace(b"Yes, as number 7", b"S\xed, number 7"))(comma),
        says="is not UTF-8",
        mend=instead(rows(HB)),
    )
    for name, value, kind in (("numbers", 1, "a number"), ("true and false", True, "a boolean")):
        for write in (workbook, parquet):
            numbers = with_answers(HB, dict.fromkeys(range(80), value))
            texts = with_answers(HB, dict.fromkeys(range(80), str(value)))
            yield Made(
                f"{name} in {write.__name__}",
                HB,
                write(numbers),
                says=f"holds {kind}, not a text; nothing is converted.",
                mend=instead(texts, write=write),
                answers={row["id"]: row["prediction"] for row in texts},
            )
    yield Made("a workbook", TS, workbook(rows(TS)))
    yield Made("a Parquet table", EHUB, parquet(rows(EHUB)))
    yield Made(
        "a workbook named .csv",
        HB,
        workbook(rows(HB), "answers.csv"),
        says="its first bytes are those of a ZIP archive",
        mend=called("answers.xlsx"),
    )
    yield Made(
        "a .txt",
        HB,
        replace(comma, name="answers.txt"),
        says="Files of this type are not accepted",
        mend=called("answers.csv"),
    )
    yield Made("empty", HB, Upload("a.csv", b""), says="The file is empty.", mend=instead(rows(HB)))
    yield Made(
        "a header alone",
        HB,
        Upload("a.csv", b"id,prediction\n"),
        says="80 of 80 answers are missing",
        chosen=(True,),
        mend=instead(rows(HB)),
    )


# --- kits and evaluators --------------------------------------------------------------------------


def kits() -> Iterator[Made]:
    asked = [row for row in rows(HB) if row["id"] in answers_of(IMAGES)]
    answers = {row["id"]: row["prediction"] for row in asked}
    for name, write in (("workbook", workbook), ("JSON", document)):
        yield Made(
            f"a {name} of VLMEvalKit for all questions",
            HB,
            write(kit(asked)),
            says="--only images",
            chosen=(True,),
        )
        yield Made(
            f"a {name} of VLMEvalKit",
            IMAGES,
            write(kit(asked)),
            answers=answers,
            notes=("ignored-fields",) if False else (),
        )
    yield Made("the official result", HB, document(official(rows(HB))))
    yield Made("the official table", TS, table(rows(TS, "index", "response"), "\t", "r.tsv"))
    by_dataset: dict[str, Rows] = {}
    for question, text in zip(questions_of(EHUB), answers_of(EHUB).values(), strict=True):
        dataset = question.public_id.partition("/")[0]
        record = {"question": question.text, "gt_answers": "x", "answer": text}
        by_dataset.setdefault(dataset, []).append(record)
    yield Made("lists of the evaluator, without ids", EHUB, document(by_dataset))
    turned = {name: those[::-1] for name, those in by_dataset.items()}
    yield Made(
        "lists of the evaluator in another order",
        EHUB,
        document(turned),
        says="At this place the release has another question.",
        mend=instead([], write=lambda _: document(by_dataset)),
    )
    longer = {**by_dataset, "IC15": [*by_dataset["IC15"], by_dataset["IC15"][0]]}
    yield Made(
        "a record too many in a list of the evaluator",
        EHUB,
        document(longer),
        says="The release has 5 questions of IC15, and no more.",
        mend=instead([], write=lambda _: document(by_dataset)),
    )
    yield Made(
        "the name of the model beside lists",
        EHUB,
        document({"model": "ours", **by_dataset}),
        says='"model" is beside the lists of rows. Leave it out.',
        chosen=(True,),
        mend=instead([], write=lambda _: document(by_dataset)),
    )


# --- what programs write ------------------------------------------------------------------------


def exports() -> Iterator[Made]:
    """Of pandas, R, spreadsheets, databases."""
    plain = rows(HB)
    pairs = [list(row.values()) for row in plain]
    records = instead(plain, write=document)
    yield Made("shuffled", HB, table(Random(1).sample(plain, len(plain))))
    yield Made(
        "slashes escaped, as pandas does",
        TS,
        text_of(lambda text: text.replace("/", "\\/"))(document(rows(TS))),
    )
    split = {"columns": ["id", "prediction"], "index": [*range(len(pairs))], "data": pairs}
    for name, content, says in (
        ("split", split, "Names of columns are apart from the rows."),
        ("index", {str(n): row for n, row in enumerate(plain)}, 'under a key, such as "0"'),
        ("values", pairs, "The list holds a list where an object is expected."),
        ("table", {"schema": {"fields": []}, "data": plain}, 'in a list under "data"'),
        ("columns", {"id": [*answers_of(HB)], "prediction": ["x"]}, "columns, not rows"),
    ):
        yield Made(f"pandas, {name}", HB, document(content), says=says, mend=records)
    yield Made(
        "a table of Weights & Biases",
        EHUB,
        document({"columns": ["id", "prediction"], "data": [["ImageNet/000001", "a cat"]]}),
        says='to_json(…, orient="records")',
        mend=instead(rows(EHUB), write=document),
    )
    yield Made(
        "a series of pandas",
        HB,
        table(rows(HB, "id", "0")),
        says='The field "0" is unknown.',
        mend=header(**{"0": "prediction"}),
    )
    tabs = table(plain, "\t", "answers.tsv")
    yield Made(
        "row names of R, one column more than the header",
        HB,
        text_of(lambda text: text.replace("\nV", "\n1\tV"))(tabs),
        says="The row has more cells than the header.",
        mend=lambda upload: tabs,
    )
    yield Made(
        "a line for Excel that names the separator",
        HB,
        text_of(lambda text: f"sep=,\r\n{text}")(table(plain)),
        says="The first line must be a header",
        mend=text_of(lambda text: text.partition("\n")[2]),
    )
    yield Made(
        "empty columns of a spreadsheet",
        HB,
        text_of(lambda text: text.replace("\n", ",,\n"))(table(plain)),
        says="Several columns have no name. Delete them, empty ones too.",
        mend=text_of(lambda text: text.replace(",,\n", "\n")),
    )
    yield Made(
        "empty rows of a spreadsheet",
        HB,
        text_of(lambda text: f"{text},\n,\n")(table(plain)),
        says="There are more rows than questions (80).",
        mend=instead(plain),
    )
    yield Made(
        "two parts, each with its header",
        HB,
        text_of(lambda text: text.replace("\nVS", "\nid,prediction\nVS", 1))(table(plain)),
        says='"id" is not an id of this release.',
        mend=text_of(lambda text: text.replace("\nid,prediction\n", "\n")),
    )
    yield Made(
        "the foot of a database",
        HB,
        text_of(lambda text: f"{text}(80 rows)\n")(table(plain)),
        says="The row has fewer cells than the header.",
        mend=text_of(lambda text: text.replace("(80 rows)\n", "")),
    )
    yield Made(
        "a comment before the header",
        HB,
        text_of(lambda text: f"# ours, temperature 0\n{text}")(table(plain)),
        says="The first line must be a header",
        mend=text_of(lambda text: text.partition("\n")[2]),
    )


def streams() -> Iterator[Made]:
    """JSON as jq, shells and loops of one's own put it together."""
    plain = rows(HB)
    wide = "".join(json.dumps(row, indent=2) + "\n" for row in plain).encode()
    yield Made(
        "a stream of jq named .jsonl",
        HB,
        Upload("answers.jsonl", wide),
        says="follow one another. Write an object with id and answer on each line (jq -c).",
        mend=instead(plain, write=lines),
    )
    yield Made(
        "a stream of jq named .json",
        HB,
        Upload("answers.json", wide),
        says="or write one list (jq -s .).",
        mend=instead(plain, write=document),
    )
    yield Made(
        "objects without anything between them",
        HB,
        Upload("answers.json", wide.replace(b"\n", b"")),
        says="Several objects follow one another.",
        mend=instead(plain, write=lines),
    )
    pairs = [list(row.values()) for row in plain]
    yield Made(
        "a list on each line",
        HB,
        Upload("answers.jsonl", "".join(f"{json.dumps(pair)}\n" for pair in pairs).encode()),
        says="Lists follow one another. Write an object",
        mend=instead(plain, write=lines),
    )
    yield Made(
        "two lists",
        HB,
        Upload("answers.json", f"{json.dumps(plain[:40])}{json.dumps(plain[40:])}".encode()),
        says="There is more after the list.",
        mend=instead(plain, write=document),
    )
    yield Made(
        "lines between brackets",
        HB,
        Upload("answers.jsonl", document(plain, indent=0).content),
        says="Name it .json",
        mend=called("answers.json"),
    )
    yield Made(
        "a comma behind each line",
        HB,
        text_of(lambda text: text.replace("}\n", "},\n"))(lines(plain)),
        says="There is more after the object.",
        mend=text_of(lambda text: text.replace("},\n", "}\n")),
    )
    yield Made(
        "lines encoded twice",
        HB,
        Upload("a.jsonl", "".join(f"{json.dumps(json.dumps(row))}\n" for row in plain).encode()),
        says="The line holds a string, not an object.",
        mend=instead(plain, write=lines),
    )
    yield Made(
        "lines of Python",
        HB,
        Upload("a.jsonl", "".join(f"{row}\n" for row in plain).encode()),
        says="JSON strings need double quotes",
        mend=instead(plain, write=lines),
    )
    named = [{row["id"]: row["prediction"]} for row in plain]
    for write in (document, lines):
        yield Made(
            f"the id as name of a field, {write.__name__}",
            HB,
            write(named),
            says="The row has one field. If its name is the id, write that in a field",
            mend=instead(plain, write=write),
        )
    yield Made(
        "a list of texts for each id",
        HB,
        document({row["id"]: [row["prediction"], "No."] for row in plain}),
        says="is a list of texts. Write one answer for each id",
        mend=lambda upload: document({k: v[0] for k, v in json.loads(upload.content).items()}),
    )
    by_dataset: dict[str, dict[str, str]] = {}
    for id_, text in answers_of(EHUB).items():
        dataset, _, number = id_.partition("/")
        by_dataset.setdefault(dataset, {})[number] = text
    yield Made(
        "answers by number below their dataset",
        EHUB,
        document(by_dataset),
        says='Under "ImageNet" there is another object. Write all answers in one',
        chosen=(True,),
        mend=instead(rows(EHUB), write=document),
    )
    yield Made(
        "a number for a number in the dataset's writing",
        EHUB,
        lines(
            [
                {"dataset": d, "question_id": int(n), "answer": text}
                for d, those in by_dataset.items()
                for n, text in those.items()
            ]
        ),
        says='Did you mean "ImageNet/000001"? Yours is rewritten as a number',
        mend=instead(rows(EHUB), write=lines),
    )


def endpoints() -> Iterator[Made]:
    """What models are asked with."""
    plain, alone = rows(HB), instead(rows(HB), write=lines)

    def picked(*path: str | int) -> Change:
        """As the jq of the refusal does it."""

        def change(upload: Upload) -> Upload:
            found = []
            for line in upload.content.splitlines():
                value = row = json.loads(line)
                for step in path:
                    value = value[step]
                found.append({"id": row["custom_id"], "prediction": value})
            return lines(found)

        return change

    def reply(text: str) -> dict[str, Any]:
        return {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}

    yield Made(
        "results of a batch of OpenAI",
        HB,
        lines(
            [
                {
                    "id": f"batch_req_{n}",
                    "custom_id": row["id"],
                    "response": {"status_code": 200, "body": reply(row["prediction"])},
                    "error": None,
                }
                for n, row in enumerate(plain)
            ]
        ),
        says=".response.body.choices[0].message.content}' FILE > answers.jsonl",
        mend=picked("response", "body", "choices", 0, "message", "content"),
    )
    yield Made(
        "results of a batch of Anthropic",
        HB,
        lines(
            [
                {
                    "custom_id": row["id"],
                    "result": {
                        "type": "succeeded",
                        "message": {"content": [{"type": "text", "text": row["prediction"]}]},
                    },
                }
                for row in plain
            ]
        ),
        says=".result.message.content[0].text}' FILE > answers.jsonl",
        mend=picked("result", "message", "content", 0, "text"),
    )
    yield Made(
        "requests of a batch",
        HB,
        lines([{"custom_id": row["id"], "method": "POST", "body": {}} for row in plain]),
        says="These are the requests of a batch. Submit its results instead.",
        mend=alone,
    )
    for name, value, kind in (
        ("messages", {"role": "assistant", "content": "Yes."}, "an object"),
        ("texts with probabilities", {"text": "Yes.", "logprobs": [-0.1]}, "an object"),
    ):
        yield Made(
            f"{name} for answers",
            HB,
            lines([{**row, "prediction": value} for row in plain]),
            says=f"holds {kind}, not a text",
            mend=alone,
        )
    yield Made(
        "null for an answer",
        TS,
        lines(with_answers(TS, {5: None})),
        says='Where the model gave no answer, write an empty text ("").',
        mend=text_of(lambda text: text.replace("null", '""')),
        answers={**answers_of(TS), list(answers_of(TS))[5]: ""},
        chosen=(True,),
    )
    yield Made(
        "answers of LLaVA",
        HB,
        lines(
            [
                {"question_id": row["id"], "prompt": "?", "text": row["prediction"], "metadata": {}}
                for row in plain
            ]
        ),
        says='If "text" holds it, name that field "prediction".',
        mend=alone,
    )
    yield Made(
        "the right answer beside the model's",
        HB,
        table([{"id": r["id"], "answer": "1", "response": r["prediction"]} for r in plain]),
        says='If "response" holds it, name that field "prediction".',
        mend=instead(plain),
    )
    yield Made(
        "a column for each round",
        HB,
        table([{"id": r["id"], "prediction_1": "Yes.", "prediction_2": "No."} for r in plain]),
        says='The field "prediction_1" is unknown.',
        mend=instead(plain),
    )
    yield Made(
        "a row for each round",
        HB,
        table([{**row, "round": n} for row in plain for n in (1, 2)]),
        says="is already on line",
        mend=instead(plain),
    )


def paths_for_ids() -> Iterator[Made]:
    whole = instead(rows(HB))
    for name, change, reason in (
        ("with the ending of a picture", "{}.png".format, "with the ending of a file name"),
        ("from this folder", "./{}".format, "with other signs between or around its parts"),
        ("with a path before them", "/home/me/data/{}".format, "with a path before it"),
        ("in quotes", '"{}"'.format, "or around it"),
        ("behind an apostrophe", "'{}".format, "or around it"),
        ("as Python prints parts", lambda id_: str(tuple(id_.split("/"))), "or around it"),
        ("from right to left", "\u200f{}".format, "with a blank or an invisible character"),
        ("with a hard blank", "{}\u00a0".format, "with a blank or an invisible character"),
    ):
        yield Made(f"ids {name}", HB, table(with_ids(HB, change)), says=reason, mend=whole)
    for slug, first in ((TS, "A001"), (ABILITY, "Object_Hallucination/000001")):
        yield Made(
            "ids as names of pictures in a folder",
            slug,
            table(with_ids(slug, "images/{}.jpg".format)),
            says=f'Did you mean "{first}"? Yours is written with a path before it.',
            mend=instead(rows(slug)),
        )
    yield Made(
        "two benchmarks in one file",
        HB,
        table([*rows(HB), *rows(TS)]),
        says="There are more rows than questions (80).",
        mend=whole,
    )


def texts_of_other_questions() -> Iterator[Made]:
    """A column that was sorted by itself, or lists put side by side in another order."""
    says = "Were rows mixed up?"
    for slug in (HB, TS, EHUB, ABILITY):
        texts = [question.text for question in questions_of(slug)]
        turned = [*texts[1:], texts[0]]
        named = [{**row, "question": text} for row, text in zip(rows(slug), texts, strict=True)]
        mixed = [{**row, "question": text} for row, text in zip(rows(slug), turned, strict=True)]
        yield Made("the texts of the template", slug, table(named))
        for write in (table, workbook, parquet) if slug == HB else (table,):
            right = instead(named, write=write)
            name = f"texts of other questions in {write.__name__}"
            yield Made(name, slug, write(mixed), says=says, mend=right)
        prompts = [{**row, "question": f"<image>\n{row['question']}"} for row in mixed]
        yield Made("prompts for texts", slug, lines(prompts))
        once = [{**named[0], "question": turned[0]}, *named[1:]]
        yield Made("one text that was corrected", slug, table(once))
        odd = [{**row, "question": n} for n, row in enumerate(named)]
        yield Made("numbers for texts", slug, document(odd))
    texts = [question.text for question in questions_of(HB)]
    shifted = [
        {**row, "question": text}
        for row, text in zip(official(rows(HB)), [*texts[1:], texts[0]], strict=True)
    ]
    right = instead(official(rows(HB)), write=document)
    yield Made("official rows mixed up", HB, document(shifted), says=says, mend=right)


def printed_answers() -> Iterator[Made]:
    """Taken, and told: the answer may be in it."""
    for text in (
        "['Yes.']",
        '["Yes."]',
        "[{'generated_text': 'Yes.'}]",
        "{'role': 'assistant', 'content': 'Yes.'}",
        "ChatCompletion(id='x', choices=[])",
        "[RequestOutput(request_id=0, prompt='x')]",
        "tensor([[1, 3869]], device='cuda:0')",
        "<generator object generate at 0x7f3a>",
        "<coroutine object ask at 0x7f3a>",
        "<Response [200]>",
        "b'Yes.'",
    ):
        read = {**answers_of(TS), list(answers_of(TS))[5]: text}
        file = table(with_answers(TS, {5: text}))
        yield Made(f"an answer {text[:24]!a}", TS, file, notes=("printed",), answers=read)
    for text in ("#ERROR!", "#DIV/0!", "Loading..."):
        read = {**answers_of(TS), list(answers_of(TS))[5]: text}
        file = table(with_answers(TS, {5: text}))
        yield Made(f"an answer {text}", TS, file, notes=("placeholders",), answers=read)


def other_bytes() -> Iterator[Made]:
    good = table(rows(HB))
    back: Change = lambda upload: good  # noqa: E731
    for name, file, says in (
        ("packed", Upload("answers.csv", gzip.compress(good.content)), "Unpack it and submit"),
        ("packed, named so", Upload("a.csv.gz", gzip.compress(good.content)), "Unpack it"),
        ("a page", Upload("answers.csv", b"<!DOCTYPE html>\n<title>502"), "an HTML or XML page"),
        ("a pointer", Upload("a.csv", b"version https://git-lfs.github.com/spec/v1\n"), "header"),
        ("a protected workbook", Upload("a.xlsx", OLE), "password-protected Office document"),
        ("what Excel locks", Upload("~$a.xlsx", b"\4Anna" + bytes(60)), "of something else"),
        ("a table in a workbook's name", replace(good, name="a.xlsx"), "those of a text"),
        ("what macOS adds", Upload("._a.csv", b"\0\5\x16\7\0\2" + bytes(90)), "macOS keeps"),
        ("Feather", Upload("a.parquet", b"ARROW1\0\0" + bytes(90)), "an Arrow table (Feather)"),
        ("noughts at the end", replace(good, content=good.content + bytes(512)), "fewer cells"),
        ("an end of DOS", replace(good, content=good.content + b"\x1a"), "fewer cells"),
        ("colours", bytes_of(lambda b: b.replace(b"Yes", b"\x1b[32mYes"))(good), "control char"),
        ("a workbook cut off", bytes_of(lambda b: b[:3000])(workbook(rows(HB))), "been cut off"),
        ("a table cut off", bytes_of(lambda b: b[:1500])(parquet(rows(HB))), "cannot be read"),
        ("Windows-1252", text_bytes("It\u2019s so.", "cp1252"), "Save the file as UTF-8."),
        ("two marks", bytes_of(lambda b: b"\xef\xbb\xbf" * 2 + b)(good), 'Did you mean "id"?'),
    ):
        yield Made(f"bytes: {name}", HB, file, says=says, mend=back)
    utf16 = replace(good, content=good.content.decode().encode("utf-16-le"))
    yield Made("bytes: UTF-16 unmarked", HB, utf16, says="UTF-16 without a byte", mend=back)
    yield Made("bytes: CR alone", HB, bytes_of(lambda b: b.replace(b"\n", b"\r"))(good))


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)


def text_bytes(text: str, encoding: str) -> Upload:
    rows = with_answers(HB, {3: text})
    return Upload("answers.csv", table(rows).content.decode().encode(encoding))


def sheets() -> Iterator[Made]:
    """Workbooks as people leave them."""
    plain = rows(HB)
    good = workbook(plain)

    def changed(change: Callable[[Any], object]) -> Upload:
        book = openpyxl.load_workbook(io.BytesIO(good.content))
        change(book)
        file = io.BytesIO()
        book.save(file)
        return Upload("answers.xlsx", file.getvalue())

    for name, change, says in (
        ("a title above", lambda b: b.active.insert_rows(1), "There is a blank line"),
        ("about first", lambda b: b.create_sheet("About", 0).append(["Ours"]), "put that first"),
        ("empty first", lambda b: b.create_sheet("Empty", 0), "Put the sheet with the answers"),
        ("merged cells", lambda b: b.active.merge_cells("B3:B5"), "Cells are merged here"),
        ("a formula", lambda b: b.active.cell(4, 2, "=A4"), "In a .csv or .jsonl answers stay"),
        ("an error", lambda b: b.active.cell(4, 2, "#NAME?"), "an error of Excel, not a text"),
        ("a day", lambda b: b.active.cell(4, 1, date(2026, 1, 2)), "holds a date, not a text"),
        ("a total", lambda b: b.active.append(["Total", "80"]), "more rows than questions"),
        ("a remark", lambda b: b.active.cell(4, 3, "look"), "more cells than the header"),
        ("an empty column", lambda b: b.active.insert_cols(1), "A column has no name"),
        ("an empty row", lambda b: b.active.insert_rows(9), "There is a blank line"),
    ):
        yield Made(f"a sheet: {name}", HB, changed(change), says=says, mend=lambda _: good)
    others = changed(lambda book: book.create_sheet("run 2"))
    yield Made("a sheet: a second one", HB, others, notes=("other-sheets",))


GROUPS = (
    exports,
    streams,
    endpoints,
    paths_for_ids,
    texts_of_other_questions,
    printed_answers,
    other_bytes,
    sheets,
    names_of_columns,
    writings_of_ids,
    failed_calls,
    shapes_of_json,
    tables_and_workbooks,
    kits,
)


@cache
def files() -> Sequence[Made]:
    return [made for group in GROUPS for made in group()]


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for number, made in enumerate(files()):
        (folder / f"{number:03d}-{Path(made.upload.name).name}").write_bytes(made.upload.content)
