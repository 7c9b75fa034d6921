"""Files of answers in every form that people have them in: what kits and official evaluators write,
and our own template in each kind of file."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.protocols import hallusionbench, tiny_lvlm_ehub, touchstone
from benchmarks.protocols.base import BenchmarkProtocol, QuestionView

Fields = Mapping[str, object]
Answers = Sequence[tuple[str, str]]
HB, TS, EHUB = hallusionbench.PROTOCOL, touchstone.PROTOCOL, tiny_lvlm_ehub.PROTOCOL

IDS: dict[str, tuple[str, ...]] = {
    HB.slug: tuple(f"VD/figure/{n // 4}/{n // 2 % 2}/{n % 2}" for n in range(12)),
    TS.slug: tuple(str(n) for n in range(12)),
    EHUB.slug: tuple(
        f"{name}/{n}" for name in ("IC15", "GQA", "MSCOCO_pope_random") for n in range(4)
    ),
}


def views(family: BenchmarkProtocol) -> tuple[QuestionView, ...]:
    return tuple(
        QuestionView(key, "a", "s", f"{key}.png", "g", text_of(key), {"visual_input": 1}, {})
        for key in IDS[family.slug]
    )


def text_of(key: str) -> str:
    return f"What is {key}?"


# --- rows -----------------------------------------------------------------------------------------


def template(number: int, key: str, answer: object) -> dict[str, object]:
    return {"id": key, "prediction": answer, "question": text_of(key)}


def bare(number: int, key: str, answer: object) -> dict[str, object]:
    return {"id": key, "prediction": answer}


def vlmevalkit(number: int, key: str, answer: object) -> dict[str, object]:
    category, subcategory, *numbers = key.split("/")
    return {
        "index": "_".join(("hallusion", category, subcategory, *numbers)),
        "question": text_of(key),
        "answer": "Yes",
        "category": category,
        "l2-category": f"{category}_{subcategory}",
        "prediction": answer,
    }


NAMING = ("category", "subcategory", "set_id", "figure_id", "question_id")


def hallusionbench_row(number: int, key: str, answer: object) -> dict[str, object]:
    return {
        **dict(zip(NAMING, key.split("/"), strict=True)),
        "visual_input": "1",
        "question": text_of(key),
        "gt_answer_details": "It is.",
        "gt_answer": "1",
        "filename": "./x.png",
        "model_prediction": answer,
    }


def lmms_eval(number: int, key: str, answer: object) -> dict[str, object]:
    row = hallusionbench_row(number, key, answer)
    return {
        "doc_id": number,
        "target": "It is.",
        "filtered_resps": answer,
        "token_counts": [{"input_tokens": None, "output_tokens": 3}],
        "doc_hash": "f" * 64,
        **dict.fromkeys(("aAcc", "fAcc", "qAcc"), row),
        "input": text_of(key),
    }


def touchstone_row(number: int, key: str, answer: object) -> dict[str, object]:
    names = ("question", "human_annotation", "gpt4_ha_answer", "category", "task_name")
    return {"index": key, **{name: f"{name} of the dataset" for name in names}, "response": answer}


def ehub_row(number: int, key: str, answer: object) -> dict[str, object]:
    dataset, _, place = key.partition("/")
    return {
        "dataset": dataset,
        "question_id": place,
        "question": text_of(key),
        "gt_answers": ["yes"],
        "answer": answer,
        "model_name": "Ours",
    }


def evaluator_row(number: int, key: str, answer: object) -> dict[str, object]:
    """Without an id: its place in the list of its dataset stands for it."""
    return {
        "dataset": key.partition("/")[0],
        "question": text_of(key),
        "answer": answer,
        "gt_answers": "yes",
        "image_path": f"tiny_lvlm_datasets/{key}.png",
        "model_name": "Ours",
        "task_type": "VQA",
    }


# --- containers -----------------------------------------------------------------------------------


def table(rows: Sequence[Fields], delimiter: str = ",", quoting: Any = csv.QUOTE_MINIMAL) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    return text.getvalue().encode()


def tsv(rows: Sequence[Fields]) -> bytes:
    return table(rows, "\t", csv.QUOTE_ALL)


def lines(rows: Sequence[Fields]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def a_line_each(opening: str, parts: Iterable[str], closing: str) -> str:
    return f"{opening}\n" + ",\n".join(parts) + f"\n{closing}"


def document(rows: Sequence[Fields]) -> bytes:
    """A record a line, from the second."""
    records = (json.dumps(row, ensure_ascii=False) for row in rows)
    return a_line_each("[", records, "]").encode()


def with_its_run(rows: Sequence[Fields]) -> bytes:
    """A list of rows, a record a line, and beside it how the program was run."""
    records = [json.dumps(row, ensure_ascii=False) for row in rows]
    run = {"args": {"model": "ours", "tasks": ["x"]}, "model_configs": {"metrics": [{"m": "aAcc"}]}}
    opening = json.dumps(run)[:-1] + ', "logs": ['
    return a_line_each(opening, records, '], "time": "0101_0000"}').encode()


def by_id(rows: Sequence[Fields]) -> bytes:
    names = (map(json.dumps, row.values()) for row in rows)
    return a_line_each("{", (": ".join(pair) for pair in names), "}").encode()


def by_dataset(rows: Sequence[Fields]) -> bytes:
    """A list for each dataset; a record a line."""
    lists: dict[object, list[str]] = {}
    for row in rows:
        rest = {name: value for name, value in row.items() if name != "dataset"}
        lists.setdefault(row["dataset"], []).append(json.dumps(rest, ensure_ascii=False))
    named = (a_line_each(f'"{name}": [', those, "]") for name, those in lists.items())
    return a_line_each("{", named, "}").encode()


def workbook(rows: Sequence[Fields], change: Callable[[Any], None] | None = None) -> bytes:
    book = openpyxl.Workbook()
    book.active.append(list(rows[0]))
    for row in rows:
        book.active.append(list(row.values()))
    if change is not None:
        change(book)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def parquet(rows: Sequence[Fields]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), file)
    return file.getvalue()


@dataclass(frozen=True)
class Format:
    """`fields`: number, id and answer of a question -> its row. `first_line`: of the first row."""

    name: str
    family: BenchmarkProtocol
    file_name: str
    fields: Callable[[int, str, object], dict[str, object]]
    write: Callable[[Sequence[Fields]], bytes]
    id_field: str
    answer_field: str
    first_line: int

    def __str__(self) -> str:
        return self.name

    @property
    def kind(self) -> str:
        return self.file_name.rpartition(".")[2]

    @property
    def is_table(self) -> bool:
        return self.kind in ("csv", "tsv")

    @property
    def is_text(self) -> bool:
        return self.kind not in ("xlsx", "parquet")

    @property
    def is_kit(self) -> bool:
        return self.fields in (vlmevalkit, lmms_eval)

    @property
    def is_placed(self) -> bool:
        """Whether the place of a row stands for its id."""
        return self.fields is evaluator_row

    def rows(self, answers: Answers) -> list[dict[str, object]]:
        return [self.fields(n, key, answer) for n, (key, answer) in enumerate(answers)]

    def line(self, row: int) -> int:
        """On which row number `row`, from 1, stands, where none spans several lines."""
        lines_of_lists = 2 * ((row - 1) // 4) if self.write is by_dataset else 0
        return self.first_line + row - 1 + lines_of_lists


def _of_template() -> tuple[Format, ...]:
    plain = ("id", "prediction")
    return (
        Format("template.csv", HB, "answers.csv", template, table, *plain, 2),
        Format("template.tsv", EHUB, "answers.tsv", template, tsv, *plain, 2),
        Format("template.jsonl", TS, "answers.jsonl", template, lines, *plain, 1),
        Format("template.json", EHUB, "answers.json", template, document, *plain, 2),
        Format("by id.json", HB, "answers.json", bare, by_id, *plain, 2),
        Format("template.xlsx", TS, "answers.xlsx", template, workbook, *plain, 2),
        Format("template.parquet", TS, "answers.parquet", template, parquet, *plain, 1),
    )


FORMATS: tuple[Format, ...] = (
    Format("VLMEvalKit.xlsx", HB, "m_H.xlsx", vlmevalkit, workbook, "index", "prediction", 2),
    Format("VLMEvalKit.tsv", HB, "m_H.tsv", vlmevalkit, tsv, "index", "prediction", 2),
    Format("VLMEvalKit.json", HB, "m_H.json", vlmevalkit, document, "index", "prediction", 2),
    Format("VLMEvalKit.parquet", HB, "m.parquet", vlmevalkit, parquet, "index", "prediction", 1),
    Format("lmms-eval.jsonl", HB, "s.jsonl", lmms_eval, lines, "id", "model_prediction", 1),
    Format("lmms-eval.json", HB, "s.json", lmms_eval, document, "id", "model_prediction", 2),
    Format(
        *("lmms-eval logs.json", HB, "h.json", lmms_eval, with_its_run),
        *("id", "model_prediction", 2),
    ),
    Format(
        "HallusionBench.json",
        HB,
        "HallusionBench_result.json",
        hallusionbench_row,
        document,
        "id",
        "model_prediction",
        2,
    ),
    Format("TouchStone.tsv", TS, "r.tsv", touchstone_row, tsv, "index", "response", 2),
    Format("TouchStone.csv", TS, "r.csv", touchstone_row, tsv, "index", "response", 2),
    Format("eHub.jsonl", EHUB, "r.jsonl", ehub_row, lines, "question_id", "answer", 1),
    Format("eHub.json", EHUB, "r.json", ehub_row, by_dataset, "question_id", "answer", 3),
    Format("eHub evaluator.json", EHUB, "e.json", evaluator_row, by_dataset, "", "answer", 3),
    *_of_template(),
)
