"""An entry's scores as others collect them: results for a model's page on the Hugging Face Hub, and
a record of Every Eval Ever.

Both hold what everybody sees on the entry's page. What nobody told (which model on the Hub, who
developed it) is left out, or named as what somebody must fill in.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.models import Release
from benchmarks.protocols.base import Metric
from benchmarks.scoring.sheets import SCORING_VERSION, MetricValue
from benchmarks.selectors import protocol_of
from judging.models import JudgeSpec
from leaderboard.models import Scoresheet
from leaderboard.results.formatting import print_interval, scale
from leaderboard.results.judges.seals import judge_seal

SCHEMA_VERSION = "0.2.2"
"""Of the eval.schema.json of Every Eval Ever (github.com/evaleval/every_eval_ever) that records
follow."""
HUB_DATASET = re.compile(r"https://huggingface\.co/datasets/([\w.-]{1,96}/[\w.-]{1,96})/?")
UNNAMED = "OWNER/DATASET"
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Addresses:
    """Whole ones, and what the site is called."""

    site_name: str
    site: str
    entry: str
    release: str
    judge: str


def shown_metrics(sheet: Scoresheet) -> Iterator[tuple[Metric, MetricValue]]:
    """What ranks, then the other metrics of the board's first table, as far as they have a value
    and a better direction. A board of 300 has the others in its files."""
    board = protocol_of(sheet.submission.release).board
    first = [m for group in board.BOARD.tables[0].groups for m in group.metrics]
    for metric in dict.fromkeys([board.METRICS[board.BOARD.ranking], *first]):
        packed = sheet.figures.get(metric.name)
        figure = MetricValue.unpacked(packed) if packed else None
        if figure and figure.value is not None and metric.higher_is_better is not None:
            yield metric, figure


# --- Hugging Face ---------------------------------------------------------------------------------


def hub_dataset(release: Release) -> str:
    """Where the Hub keeps the dataset, or what somebody must fill in."""
    found = HUB_DATASET.fullmatch(release.source)
    return found[1] if found else UNNAMED


def eval_results(sheet: Scoresheet, addresses: Addresses) -> str:
    """YAML for a file in `.eval_results/` of a model's repository, as
    huggingface.co/docs/hub/eval-results describes it: the score that ranks, in the unit in which it
    is printed. Empty where it has no value."""
    release = sheet.submission.release
    ranking = protocol_of(release).board.BOARD.ranking
    lines = [
        text
        for metric, figure in shown_metrics(sheet)
        if metric.name == ranking and figure.value is not None
        for text in result_lines(sheet, addresses, metric, figure)
    ]
    return "\n".join([*head_lines(release), *lines, ""]) if lines else ""


def head_lines(release: Release) -> Iterator[str]:
    yield "# A file for .eval_results/ in the model's repository on the Hugging Face Hub."
    if hub_dataset(release) == UNNAMED:
        yield f"# Put the Hub's name of the dataset in the place of {UNNAMED}. The Hub shows"
        yield "# results only of datasets that are registered there as benchmarks."


def result_lines(
    sheet: Scoresheet, addresses: Addresses, metric: Metric, figure: MetricValue
) -> Iterator[str]:
    release = sheet.submission.release
    assert figure.value is not None
    yield "- dataset:"
    yield f"    id: {yaml_text(hub_dataset(release))}"
    yield f"    task_id: {yaml_text(release.slug)}"
    yield f"  value: {printed(metric, figure.value)}"
    yield f"  date: {yaml_text(sheet.submission.created.date().isoformat())}"
    yield "  source:"
    yield f"    url: {yaml_text(addresses.entry)}"
    yield f"    name: {yaml_text(addresses.site_name)}"
    yield f"  notes: {yaml_text(notes_on(sheet, metric, figure))}"


def printed(metric: Metric, value: float) -> str:
    return f"{value * scale(metric):.{metric.digits}f}"


def notes_on(sheet: Scoresheet, metric: Metric, figure: MetricValue) -> str:
    release = sheet.submission.release
    note = f"{metric.title}, judged by {judge_seal(sheet.judge_spec).label}"
    if interval := print_interval(metric, figure):
        note += f"; 95 % interval {interval}"
    return f"{note}; release {release.slug}, checksum {release.public_checksum[:16]}"


def yaml_text(text: str) -> str:
    """A text in double quotes, whatever stands in it: what does not print is escaped, as YAML and
    JSON both read it."""
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in shown)


# --- Every Eval Ever ------------------------------------------------------------------------------


def every_eval_ever(sheet: Scoresheet, addresses: Addresses) -> dict[str, Any]:
    """A record by SCHEMA_VERSION. It is the same whenever it is asked for, until the entry is
    scored anew."""
    submission = sheet.submission
    computed = str(int(sheet.computed.timestamp()))
    name = f"{submission.release.slug}.{sheet.judge_spec.slug}"
    model = model_info(submission.model.name, submission.model.organisation)
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": f"{name}/{submission.pk}/{computed}",
        "evaluation_timestamp": str(int(submission.created.timestamp())),
        "retrieved_timestamp": computed,
        "source_metadata": {
            "source_name": addresses.site_name,
            "source_type": "evaluation_run",
            "source_organization_name": addresses.site_name,
            "source_organization_url": addresses.site,
            "evaluator_relationship": "third_party",
            "additional_details": {
                "entry": addresses.entry,
                "handed_in_as": submission.origin,
                "answers_sha256": submission.sha256,
                "coverage": repr(sheet.coverage),
            },
        },
        "eval_library": {"name": "assay", "version": f"scoring {SCORING_VERSION}"},
        "model_info": model,
        "evaluation_results": [
            result_document(sheet, addresses, metric, figure)
            for metric, figure in shown_metrics(sheet)
        ],
    }


def model_info(name: str, organisation: str) -> dict[str, Any]:
    """Names as they were handed in: nobody checked which model on any hub they mean."""
    developer = {"developer": organisation} if organisation else {}
    return {
        "name": name,
        "id": f"{organisation or 'unknown'}/{name}",
        **developer,
        "additional_details": {"names": "as submitted, not checked"},
    }


def result_document(
    sheet: Scoresheet, addresses: Addresses, metric: Metric, figure: MetricValue
) -> dict[str, Any]:
    release = sheet.submission.release
    return {
        "evaluation_result_id": f"{sheet.submission_id}/{sheet.judge_spec.slug}/{metric.name}",
        "evaluation_name": f"{release.benchmark.slug}.{metric.name}",
        "source_data": {
            "dataset_name": release.title,
            "source_type": "url",
            "url": [addresses.release],
            "additional_details": {
                "release": release.slug,
                "checksum": release.public_checksum,
                "questions": str(release.question_count),
            },
        },
        "metric_config": metric_config(sheet.judge_spec, addresses, metric, release),
        "score_details": score_details(figure),
    }


def metric_config(
    spec: JudgeSpec, addresses: Addresses, metric: Metric, release: Release
) -> dict[str, Any]:
    """Shares are proportions, as stored. The schema knows no scale without ends: there it says
    nothing of the scale."""
    low, high = metric.scale
    ends = {"score_type": "continuous", "min_score": low, "max_score": high}
    unit = "proportion" if metric.unit == "percent" else "points"
    judged = {} if spec.is_offline else {"llm_scoring": llm_scoring(spec)}
    return {
        "evaluation_description": metric.about,
        "metric_id": f"{release.benchmark.slug}.{metric.name}",
        "metric_name": metric.title,
        "metric_unit": unit,
        "lower_is_better": metric.higher_is_better is False,
        **(ends if math.isfinite(low) and math.isfinite(high) else {}),
        **judged,
        "additional_details": {
            "judge": judge_seal(spec).label,
            "judge_hash": spec.content_hash,
            "judge_card": addresses.judge,
        },
    }


def llm_scoring(spec: JudgeSpec) -> dict[str, Any]:
    """The judge as it was asked; its prompts with their placeholders, as its card shows them."""
    temperature = spec.parameters.get("temperature")
    is_number = isinstance(temperature, int | float) and not isinstance(temperature, bool)
    texts = spec.prompt_set.texts if spec.prompt_set else {}
    return {
        "judges": [
            {
                "model_info": {"name": spec.model, "id": spec.model},
                **({"temperature": temperature} if is_number else {}),
            }
        ],
        "input_prompt": json.dumps(texts, ensure_ascii=False, sort_keys=True),
        "additional_details": {"parser": spec.parser, "repeats": str(spec.repeats)},
    }


def score_details(figure: MetricValue) -> dict[str, Any]:
    details = {"asked": str(figure.asked)}
    if figure.groups != 0:  # as of a hidden test
        details["judged"] = str(figure.judged)
    if figure.low is None or figure.high is None:
        return {"score": figure.value, "details": details}
    return {
        "score": figure.value,
        "details": details,
        "uncertainty": {
            "confidence_interval": {
                "lower": figure.low,
                "upper": figure.high,
                "confidence_level": CONFIDENCE,
                "method": "over groups of questions that come together",
            },
            "num_samples": figure.n,
        },
    }
