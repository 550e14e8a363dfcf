"""`lode mine`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.cli.filters import FilterText, SliceName
from motherlode.cli.terminal import (
    MOST_ROWS,
    Limit,
    Needs,
    answered,
    client,
    compact,
    err,
    file_with_an_end,
    group,
    left_out_words,
    needs_told,
    out,
    read_json,
    refuse_ended,
    share,
    show_table,
    version_named,
    watch_job,
)
from motherlode.resources.filters import both
from worker_programs.wording import plural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from motherlode.documents import Estimate, Explanation, MiningJobDetail, Pick


commands = group("What to label next: score a pool, pick what teaches most, say why.")


WITHOUT_MODEL = "ImageNet features"


def _json_file(shape: str) -> Any:
    """Build the option that names a JSON file; `shape` says where its shape is described."""
    return typer.Option(exists=True, dir_okay=False, callback=file_with_an_end, help=f"a JSON file: {shape}")


Keys = list[str] | None


@commands.command()
def strategies() -> None:
    """List the strategies that can pick samples; --json also prints the schemas of their parameters."""
    found = client().mining.strategies()
    if answered(found):
        return
    rows = ((one["name"], one["summary"], ", ".join(one["tasks"])) for one in found["results"])
    show_table("strategy", "picks", "tasks", rows=rows)
    for fault in found["faults"]:
        err.print(fault)


@commands.command()
def start(
    dataset: Annotated[str, typer.Argument(help="a dataset, or name@v3")],
    model: Annotated[
        str | None,
        typer.Option(
            help="model version that scores the pool: name@production or name@3; without it, images are compared by "
            "the ImageNet features of EfficientNet-Lite0: the first labels"
        ),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(help="a name that `lode mine strategies` lists; auto chooses by the labels at hand, and says why"),
    ] = "auto",
    params: Annotated[Path | None, _json_file("`lode mine strategies --json` has the schemas")] = None,
    count: Annotated[int, typer.Option(help="samples to pick")] = 100,
    control: Annotated[float, typer.Option(help="share of the picks that is drawn at random")] = 0.1,
    seed: Annotated[int, typer.Option(help="the same seed gives the same picks")] = 0,
    slice_: SliceName = None,
    filter_: FilterText = None,
    compose: Annotated[Path | None, _json_file("docs/howto/composing-batches.md")] = None,
    near_copies: Annotated[
        str | None,
        typer.Option(help="how many near copies of one another may be candidates: a number, or off; 1 by default"),
    ] = None,
    committee: Annotated[Path | None, _json_file("docs/howto/scoring.md, under Committees")] = None,
    like: Annotated[Keys, typer.Option(help="key of a sample that targeted picks should resemble; repeatable")] = None,
    failures: Annotated[
        str | None, typer.Option(help="val or test: also resemble its samples that the model gets wrong")
    ] = None,
    unlike: Annotated[
        Keys, typer.Option(help="key of a sample that targeted picks should not resemble; repeatable")
    ] = None,
    needs: Needs = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Score the unlabelled pool and pick the most informative samples."""
    name, version = version_named(dataset)
    made = client().mining.create(
        name,
        version=version,
        model=model,
        strategy={"name": strategy, "params": read_json(params) or {}},
        count=count,
        control=control,
        seed=seed,
        filter=both(slice_, filter_),
        compose=_composed(read_json(compose), near_copies),
        committee=read_json(committee),
        like=_given(keys=like, failures=failures),
        unlike=_given(keys=unlike),
        needs=needs_told(needs),
    )
    if wait:
        watch_job(made["job"]["id"])
        made = client().mining.get(made["id"])
    if answered(made):
        return
    if wait:
        out.print(f"mining {made['id']} picked {made['stats'].get('picked')}; next: lode mine picks {made['id']}")
        for words in _left_out(made["stats"]):
            out.print(f"left out: {words}", soft_wrap=True)
    else:
        out.print(f"mining {made['id']}; next: lode job watch {made['job']['id']}, lode mine picks {made['id']}")


@commands.command("list")
def list_jobs(
    state: Annotated[str | None, typer.Option(help="only queued, running, succeeded, failed or cancelled")] = None,
    limit: Limit = 20,
) -> None:
    """List the newest mining jobs."""
    fitting = (job for job in client().mining.all() if state in (None, job["job"]["state"]))
    found = islice(fitting, limit)
    if answered(found):
        return
    rows = (
        (job["id"], job["job"]["state"], job["strategy"]["name"], f"{job['dataset']} v{job['version']}",
         job["model"] or WITHOUT_MODEL, job["count"], job["queue"], job["created"][:19])
        for job in found
    )  # fmt: skip
    show_table("job", "state", "strategy", "pool", "model", "picks", "queue", "created", rows=rows)


@commands.command()
def show(job: int) -> None:
    """Show a mining job: its settings, its progress and its results."""
    found = client().mining.get(job)
    if answered(found):
        return
    out.print(f"mining {job} of {found['dataset']} v{found['version']} is {found['job']['state']}")
    if error := found["job"]["error"]:
        out.print(f"{error['code']}: {error['detail']}")
    show_table("", "", rows=_facts(found).items())


def _facts(job: MiningJobDetail) -> dict[str, Any]:
    progress = job["progress"]
    rate, left = progress["images_per_second"], progress["eta_seconds"]
    return {
        "strategy": job["strategy"]["name"],
        "parameters": compact(job["strategy"]["params"]),
        "model": job["model"] or WITHOUT_MODEL,
        "picks": f"{job['count']}, {job['control']:.0%} at random",
        "filter": compact(job["filter"]),
        "constraints": compact(job["compose"]),
        "committee": compact(job["committee"]),
        "shards": f"{progress['shards_done']} of {progress['shards']}",
        "images a second": None if rate is None else f"{rate:.1f}",
        "seconds left": None if left is None else f"{left:.0f}",
        "quarantined": progress["quarantined"],
        "left out": "\n".join(_left_out(job["stats"])) or None,
        "queue": job["queue"],
        "accuracy on the pool": _accuracy(job["estimate"]),
    }


def _composed(document: dict[str, Any] | None, near_copies: str | None) -> dict[str, Any] | None:
    if near_copies is None:
        return document
    if near_copies != "off" and not near_copies.isdecimal():
        raise typer.BadParameter("must be a whole number, or off", param_hint="--near-copies")
    return (document or {}) | {"near_copies": None if near_copies == "off" else int(near_copies)}


def _left_out(stats: Mapping[str, Any]) -> list[str]:
    """Describe the samples that were no candidates, by reason."""
    barred = left_out_words(stats.get("barred"), "samples of the pool")
    by_rule = [f"{number} {words}" for words, number in (stats.get("kept_out") or {}).items()]
    if uncompared := stats.get("uncompared"):
        by_rule.append(f"{uncompared:,} pairs of possible near copies were not compared: too many are alike")
    return [*([barred] if barred else []), *by_rule]


def _accuracy(estimate: Estimate | None) -> str | None:
    """The estimate in words: while it rests on few answers, its interval and how many more it takes."""
    if estimate is None or (told := estimate["accuracy"]) is None:
        return None
    value, span = told["value"], f"{told['low']:.1%} to {told['high']:.1%}"
    answers = f"from {plural(told['answers'], 'answer')}, {told['drawn']} random"
    if value is None:
        more = plural(told["needed"], "more random answer gives", "more random answers give")
        return f"{span} ({answers}; {more} one figure)"
    return f"{value:.1%} ({span}, {answers})"


@commands.command()
def picks(
    job: int,
    limit: Annotated[int, typer.Option(min=0, max=MOST_ROWS, help="how many to list, best first")] = 50,
) -> None:
    """List a job's picks by rank, with reasons."""
    found = islice(client().mining.picks(job), limit)
    if answered(found):
        return
    rows = (
        (one["rank"], one["sample"]["key"], _number(one["score"]), "control" if one["control"] else None, one["reason"])
        for one in found
    )
    show_table("rank", "sample", "score", "arm", "reason", rows=rows)


@commands.command()
def explain(job: int, rank: Annotated[int, typer.Argument(help="rank of the pick, from 1")]) -> None:
    """Explain why a sample was picked: the factors of its score, its neighbours, the samples it displaced."""
    pick = client().mining.pick(job, rank)
    if answered(pick):
        return
    out.print(f"{rank}. {pick['sample']['key']}: {pick['reason']}", soft_wrap=True)
    _show_terms(pick["explanation"])
    show_table("", "", rows=_grounds(pick).items())
    if neighbours := pick["explanation"]["neighbours"]:
        rows = ((one["key"], one["label"], _number(one["distance"])) for one in neighbours)
        show_table("nearest labelled", "label", "distance", rows=rows)


def _show_terms(explanation: Explanation) -> None:
    if not explanation["terms"]:
        return
    rows: list[tuple[Any, ...]] = [
        (term["name"], _number(term["value"]), _number(term["strength"]), f"x {term['contribution']:.4g}",
         None if term["rank"] is None else f"{term['rank']} of {term['of']}")
        for term in explanation["terms"]
    ]  # fmt: skip
    rows.append(("product", "", "", f"= {_number(explanation['product'])}", ""))
    show_table("term", "value", "strength", "factor", "rank", rows=rows)


def _said(prediction: Mapping[str, Any]) -> str:
    """Describe a model's prediction: a class, or several."""
    named = [prediction["class"]] if "class" in prediction else prediction.get("classes", ())
    return " + ".join(named) or "none of them"


def _grounds(pick: Pick) -> dict[str, Any]:
    quota, displaced = pick["explanation"]["quota"], pick["explanation"]["displaced"]
    instead = displaced and f"{displaced['key']} (score {_number(displaced['score'])}): {displaced['reason']}"
    return {
        "arm": "control, picked at random" if pick["control"] else "mined",
        "score": _number(pick["score"]),
        "chance of it": share(pick["probability"]),
        "the model says": _said(pick["prediction"]) if pick["prediction"] else None,
        "let in by quota": quota and ", ".join(f"{name} {value}" for name, value in quota.items()),
        "instead of": instead,
    }


@commands.command()
def queue(
    job: int,
    name: Annotated[str | None, typer.Option(help="name of the queue; mining-JOB by default")] = None,
    answers: Annotated[int, typer.Option(help="how many people answer each sample")] = 1,
    max_rank: Annotated[int | None, typer.Option(help="only picks up to this rank, and the control arm")] = None,
    min_score: Annotated[
        float | None, typer.Option(help="only picks with at least this score, and the control arm")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(help="verify (ask whether each of the model's objects is right) or label")
    ] = None,
) -> None:
    """Put the picks into a labelling queue."""
    link = client().mining.queue(
        job, name=name, answers_per_task=answers, max_rank=max_rank, min_score=min_score, mode=mode
    )
    if not answered(link):
        out.print(f"the picks wait in {link['queue']}: {client().url}/app/label/{link['queue']}")


@commands.command()
def quarantine(job: int) -> None:
    """List the images that could not be scored, and why."""
    found = client().mining.quarantine(job)
    if answered(found):
        return
    rows = ((", ".join(one["keys"]), one["code"], one["detail"], one["md5"]) for one in found)
    show_table("samples", "code", "detail", "md5", rows=rows)


@commands.command()
def cancel(job: int) -> None:
    """Ask a mining job to stop; what is scored stays scored."""
    refuse_ended(f"mining {job}", client().mining.get(job)["job"])
    ended = client().mining.cancel(job)
    if not answered(ended):
        out.print(f"mining {job} is {ended['state']}")


def _given(**values: object) -> dict[str, object] | None:
    return {name: value for name, value in values.items() if value} or None


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.4g}"
