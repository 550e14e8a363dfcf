"""modelcard.md: what a version is, what was measured of it, its limits, and how to run it."""

from collections.abc import Mapping
from typing import Any

import orjson

from export.feeding import PREPROCESSING, cpp_program, python_program, table
from export.ranges import Ranges
from export.runtime import METADATA, load_proto
from tasktypes import DEFAULT, TaskType, task_type
from tasktypes.model_parts import Metrics
from worker_programs.wording import plural

LEAST = 5
"""Number of the weakest classes that are named."""


def model_card(data: bytes, report: Mapping[str, Any], evaluations: Mapping[str, Mapping[str, Any]]) -> str:
    """The card in Markdown; `evaluations` by precision (`fp32`), of those that were evaluated."""
    facts = _facts(data)
    task = task_type(facts.get("task", DEFAULT))
    name = facts.get("model") or facts.get("architecture") or "model"
    parts = [
        f"# {name}\n\n" + _what(facts, report, task),
        "## Data\n\n" + _data(facts, report),
        "## What it was measured to do\n\n" + _metrics(report, evaluations, task),
        "## Limits\n\n" + _limits(report, evaluations, task),
        "## Files\n\n" + _files(report),
        *(["## How to feed it\n\n" + _feed(facts, evaluations, task)] if facts.get(PREPROCESSING) else []),
        "## How to serve it\n\n" + _serve(report),
    ]
    return "\n\n".join(parts) + "\n"


def _facts(data: bytes) -> dict[str, Any]:
    held = {entry.key: entry.value for entry in load_proto(data).metadata_props}
    found: dict[str, Any] = orjson.loads(held[METADATA])
    return found


def _what(facts: Mapping[str, Any], report: Mapping[str, Any], task: TaskType) -> str:
    channels, height, width = facts["input_size"]
    given = "grey" if channels == 1 else "colour"
    classes = ", ".join(facts["classes"])
    rows = [
        f"It answers of {plural(len(facts['classes']), 'class', 'classes')}: {classes}.",
        f"Architecture `{facts.get('architecture', 'unknown')}`; {given} images of {height} x {width} pixels "
        "(see [how to feed it](#how-to-feed-it)).",
        f"Input `input`: {_input_words(report)}, values 0 to 255; the normalisation lies in the file. "
        f"Outputs: {', '.join(f'`{name}`' for name in task.outputs.names)}, float32.",
    ]
    return "\n".join(rows)


def _input_words(report: Mapping[str, Any]) -> str:
    usual = report["shapes"]["opt"][1:]
    kind = "uint8" if report["input"] == "uint8_nhwc" else "float32"
    return f"{kind} (batch, {', '.join(map(str, usual))})"


def _data(facts: Mapping[str, Any], report: Mapping[str, Any]) -> str:
    known = facts.get("dataset")
    rows = [f"Trained on {known}." if known else _through(facts)]
    if judged := facts.get("judged_on"):
        rows.append(f"Judged on {judged}, which it was not trained on by itself.")
    if begun := facts.get("warm_start"):
        rows.append(f"Its training began with the weights of {begun}.")
    rows += [
        f"{name} was calibrated on {plural(made['samples'], 'image')} of the dataset (seed {made['seed']}, sha256 over "
        f"their sorted digests `{made['digest']}`)."
        for name, variant in report["variants"].items()
        if (made := variant["calibration"])
    ]
    return "\n".join(rows)


def _through(facts: Mapping[str, Any]) -> str:
    """What a file that no run trained has learned from, as far as it says."""
    members, data = facts.get("members"), facts.get("members_trained_on")
    if members:
        on = f", which were trained on {', '.join(data)}" if data else ""
        return f"Trained through its members {', '.join(members)}{on}."
    if parents := facts.get("derived_from"):
        return f"Derived from {', '.join(parents)}; the file does not say what else it was trained on."
    return "The file does not say what it was trained on."


def _metrics(report: Mapping[str, Any], evaluations: Mapping[str, Mapping[str, Any]], task: TaskType) -> str:
    parity, rows = report["parity"], []
    if evaluations:
        metrics = task.metrics
        rows += [f"| file | {metrics.headline} | 95 % interval | samples |", "|---|---|---|---|"]
        rows += [f"| {name} | {_figure(metrics, found)} | {found['samples']} |" for name, found in evaluations.items()]
        rows.append("")
    against, same = (
        "torch" if parity["reference"] == "torch" else "the file unoptimised",
        100 * parity["top1_agreement"],
    )
    rows.append(
        f"Against {against} on {plural(parity['samples'], 'real sample')}: at most {parity['max_abs_error']:.1e} "
        f"apart, the same answer for {same:g} %."
    )
    return "\n".join([*rows, *(_agreement(name, variant) for name, variant in report["variants"].items())])


def _figure(metrics: Metrics, found: Mapping[str, Any]) -> str:
    low, high = metrics.bounds(found)
    return f"{100 * found[metrics.headline]:.2f} % | {100 * low:.2f} to {100 * high:.2f} %"


def _agreement(name: str, variant: Mapping[str, Any]) -> str:
    found = variant["agreement"]
    rank = "not defined" if found["score_spearman"] is None else f"{found['score_spearman']:.4f}"
    overlaps = [f", {100 * share:.0f} % of the {k} least certain" for k, share in found["overlap_at"].items()]
    return (
        f"{name} against fp32 on {plural(found['samples'], 'sample')}: the same answer for {100 * found['top1']:.2f} "
        f"%, rank correlation of their certainty {rank}{''.join(overlaps)}."
    )


def _limits(report: Mapping[str, Any], evaluations: Mapping[str, Mapping[str, Any]], task: TaskType) -> str:
    rows = [f"- {task.outputs.limit}"]
    if not evaluations:
        rows.append("- It was not evaluated: there were no labelled test samples.")
    for name, found in list(evaluations.items())[:1]:
        weakest = sorted(_recalls(found), key=lambda pair: pair[1])[:LEAST]
        if weakest:
            words = ", ".join(f"{label} {100 * recall:.1f} %" for label, recall in weakest)
            rows.append(f"- Weakest recall of {name}: {words}.")
    if "int8" in report["variants"]:
        rows.append("- int8 ranks uncertain samples otherwise than float32 does: serve with it, mine with float32.")
    for name, part in {"fp32": report, **report["variants"]}.items():
        if not part["ready"]:
            rows.append(f"- {name} is not ready: {_why(part, task.metrics.headline)}.")
        if part["tensorrt"]["status"] != "verified":
            rows.append(f"- {name} for TensorRT: {part['tensorrt']['status']}: {part['tensorrt']['reason']}.")
    return "\n".join(rows)


def _recalls(evaluation: Mapping[str, Any]) -> list[tuple[str, float]]:
    """(class, recall) of the classes that have one."""
    rows = evaluation["per_class"].items()
    return [(name, row["recall"]) for name, row in rows if row["recall"] is not None]


def _why(part: Mapping[str, Any], headline: str) -> str:
    problems = [problem for check in part["checks"] for problem in check["problems"]]
    if "agreement" in part and not part["agreement"]["passed"]:
        problems.append(f"{100 * part['agreement']['top1']:.2f} % of its answers are float32's, or its logits differ")
    if "ranges" in part and (problem := Ranges(**part["ranges"]).problem):
        problems.append(problem)
    if part.get(f"{headline}_drop", 0) > part.get(f"most_{headline}_drop", 1):
        problems.append(f"its {headline} is {100 * part[f'{headline}_drop']:.2f} points lower")
    if "parity" in part and not part["parity"]["passed"]:
        problems.append("its parity does not hold")
    return "; ".join(problems)


def _files(report: Mapping[str, Any]) -> str:
    rows = ["| file | bytes | sha256 |", "|---|---|---|"]
    return "\n".join(
        rows + [f"| {p['file']} | {p['bytes']} | `{p['sha256']}` |" for p in (report, *report["variants"].values())]
    )


def _feed(facts: Mapping[str, Any], evaluations: Mapping[str, Mapping[str, Any]], task: TaskType) -> str:
    names = task.outputs.names
    fitted = next((found["calibration"]["temperature"] for found in evaluations.values()
                   if (found.get("calibration") or {}).get("temperature")), None)  # fmt: skip
    told = table(facts[PREPROCESSING], names, task.outputs.operator, fitted)
    rows = [
        "What the platform does with an image before this file reads it; the same is in the file's metadata "
        f"(`{METADATA}`, `{PREPROCESSING}`). Another resize filter gives other answers.",
        "| | |\n|---|---|" + "".join(f"\n| {name} | {words} |" for name, words in told.items()),
    ]
    rows += [
        "In Python, with NumPy, ONNX Runtime and Pillow (`python answer.py IMAGE`):",
        f"```python\n{python_program(facts, names)}```",
        "In C++, with OpenCV and ONNX Runtime:",
        f"```cpp\n{cpp_program(facts, names)}```",
    ]
    return "\n\n".join(rows)


def _serve(report: Mapping[str, Any]) -> str:
    engines = "\n".join(part["trtexec"] for part in (report, *report["variants"].values()))
    return (
        f"Engines, each on the GPU that will serve it:\n\n```\n{engines}\n```\n\n"
        "For Triton put `config.pbtxt` (ONNX Runtime) or `config.plan.pbtxt` (a TensorRT engine) beside a folder `1` "
        "that holds the file which it names."
    )
