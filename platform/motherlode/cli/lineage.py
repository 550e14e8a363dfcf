"""`lode lineage`: what learned from a sample, and what a model version learned from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from motherlode.cli.terminal import answered, client, out, show_table
from motherlode.errors import MotherlodeError
from worker_programs.wording import plural

UNNAMED = "one that you may not see"


def lineage(
    name: str,
    key: Annotated[str | None, typer.Argument(help="the key of a sample; then NAME is its dataset")] = None,
    samples: Annotated[
        bool, typer.Option("--samples", help="list the keys of the samples that a model version learned from")
    ] = False,
) -> None:
    """Show which models learned from a sample, were judged by it, and what scored, picked and asked for it; or, for
    NAME@VERSION of a model, what that version learned from and what carries its weights on."""
    if key is not None:
        if samples:
            raise typer.BadParameter("--samples goes with a model version, without the key of a sample")
        found = client().datasets.lineage(name, key)
        if not answered(found):
            out.print(f"{found['dataset']} {found['key']}", soft_wrap=True)
            show_contained(found["contained_in"])
        return
    model, at, version = name.rpartition("@")
    if not at or not model or not version:
        raise typer.BadParameter(f"{name!r}: give DATASET and KEY for a sample, or MODEL@VERSION, such as pets@3")
    told = client().models.lineage(model, version)
    if samples:
        _show_samples(told["learned_from"])
    elif not answered(told):
        _show_version(told)


def show_contained(report: Mapping[str, Any]) -> None:
    """Print what contained a sample, and what is to be done about each model that learned from it."""
    for row in report["versions"]:
        place = f", {row['split']}{', labelled' if row.get('labelled') else ''}" if row.get("split") else ""
        out.print(f"  {row['dataset']} v{row['first']} to v{row['last']}{place}", soft_wrap=True)
    for row in report["models"]:
        for line in model_lines(row):
            out.print(f"  {line}", soft_wrap=True)
    for line in _other_lines(report):
        out.print(f"  {line}", soft_wrap=True)
    for kind, count in report.get("hidden", {}).items():
        out.print(f"  and {count} more under {kind}, in projects that you may not see", soft_wrap=True)


def model_lines(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a version had to do with a sample, and what is to be done about it."""
    named = f"model {row['model']} v{row['version']}"
    place = f"{row['dataset']} v{row['dataset_version']}" if row["dataset"] else None
    relation = row.get("relation")
    if relation is None:  # recorded before splits were looked at
        yield f"{named}, of {place}"
        return
    direct = f"{relation} {'from' if relation == 'learned' else 'on'} split {row['split']} of {place}" if place else ""
    steps = [_step(step) for step in row.get("through", ())]
    since = ["made since"] if row.get("since") else []
    yield f"{named}: {'; '.join([direct or f'{relation} through others', *steps, *since])}"
    yield from _advice(row)


def _step(step: Mapping[str, Any]) -> str:
    parent = f"{step['model']} v{step['version']}" if step["model"] else UNNAMED
    words = {"started from": "it started from", "member": "its member", "derived": "it was derived from"}
    return f"{words[step['how']]} {parent}"


def _advice(row: Mapping[str, Any]) -> Iterator[str]:
    action = row.get("action")
    if action == "replace":
        other = f", or move the alias to v{row['clean']}, which did not learn from it" if row.get("clean") else ""
        yield f"  is {', '.join(row['aliases'])}: train again without the sample and promote that{other}"
    elif action == "retire":
        yield "  no alias points to it: promote nothing, start nothing and join nothing from it"


def _other_lines(report: Mapping[str, Any]) -> Iterator[str]:
    for row in report.get("runs", ()):
        read = "" if row.get("began", True) else ", which has read nothing yet"
        yield f"run {row['id']} of {row['model']} ({row['state']}), which may still make a version{read}"
    for row in report["mining_jobs"]:
        rank = f" as {row['rank']}" if "rank" in row else ""
        yield f"mining job {row['id']}{f', which picked it{rank}' if row['picked'] else ''}"
    for row in report.get("queues", ()):
        yield f"queue {row['queue']}: its task is {row['state']}"
    for row in report.get("rounds", ()):
        yield f"round {row['round']} of pipeline {row['pipeline']}, which asked for its label"
    for row in report.get("score_files", ()):
        by = f" by {row['model']}" if row.get("model") else ""
        yield f"file {row['id']} of scores and embeddings{by}, of job {row['job']}; it stays"
    for row in report.get("exports", ()):
        yield f"export {row.get('id')}"


def _show_version(told: Mapping[str, Any]) -> None:
    aliases = f" ({', '.join(told['aliases'])})" if told["aliases"] else ""
    out.print(f"{told['model']} v{told['version']}{aliases}\n", soft_wrap=True)
    show_table("relation", "dataset", "split", "samples", "by", rows=(
        *(("learned from", f"{row['dataset']} v{row['dataset_version']}", "train", row["samples"], row["by"])
          for row in told["learned_from"]),
        *(("proved on" if row["split"] == "train" else "judged by",
           f"{row['dataset']} v{row['dataset_version']}", row["split"], row["samples"], None)
          for row in told["judged_by"]),
    ))  # fmt: skip
    for row in told["learned_from"]:
        if row["erased"]:
            place = f"{row['dataset']} v{row['dataset_version']}"
            out.print(f"{place} has lost {plural(row['erased'], 'sample')} to erasures")
    if told["parents"] or told["descendants"] or told["runs"]:
        out.print()
        show_table("relation", "version", "how", "of", "aliases", rows=(
            *_relatives("parent", told["parents"]), *_relatives("descendant", told["descendants"]),
            *(("run", f"run {row['id']} of {row['model']} ({row['state']})", "started from", row["of"], None)
              for row in told["runs"]),
        ))  # fmt: skip
    hidden = sum(told["hidden"].values())
    if hidden:
        out.print(f"{plural(hidden, 'more')} in projects that you may not see".replace("mores", "more"))


def _relatives(kind: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[object, ...]]:
    for row in rows:
        yield kind, f"{row['model']} v{row['version']}", row["how"], row["of"], ", ".join(row["aliases"]) or None


def _show_samples(learned: Sequence[Mapping[str, Any]]) -> None:
    """List the samples in train of every dataset version that was read, as far as they are there today."""
    found: list[dict[str, object]] = []
    places = dict.fromkeys((row["dataset"], row["dataset_version"]) for row in learned)
    for dataset, number in places:
        try:
            rows = client().datasets.samples(dataset, number, split="train", labelled=True)
            found += [{"dataset": dataset, "dataset_version": number, "key": row["key"]} for row in rows]
        except MotherlodeError as error:
            error.detail = f"{dataset} v{number}: {error.detail}"
            raise
    if not answered(found):
        show_table("dataset", "version", "key", rows=(list(row.values()) for row in found))
