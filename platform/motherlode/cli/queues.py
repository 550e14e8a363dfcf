"""`lode queue` and `lode annotate`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode import annotator
from motherlode.bars import progress_bars
from motherlode.cli.filters import FilterText, SliceName
from motherlode.cli.lifecycle import Archived, listed
from motherlode.cli.terminal import (
    Message,
    OfProject,
    answered,
    aside,
    client,
    commit_words,
    file_with_an_end,
    group,
    out,
    place_for_a_file,
    read_json,
    show_commit,
    show_table,
    write_whole,
)
from motherlode.resources.filters import both
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import LeftOutCopies, WaitingQueue

commands = group("Samples that wait for labels.")

Priority = Annotated[str | None, typer.Option(help="low, normal or high: which queue people are offered first")]
Due = Annotated[
    datetime | None, typer.Option(help="when its labels are needed by, in this machine's time; nothing ends then")
]
Assignees = Annotated[list[str] | None, typer.Option("--assign", help="a person it is for; repeatable")]


@commands.command("list")
def list_queues(archived: Archived = False) -> None:
    """List all queues."""
    found = listed(client().queues, archived)
    if answered(found):
        return
    rows = (
        (
            one["name"],
            one["dataset"],
            one["state"],
            one["counts"]["done"],
            one["counts"]["total"],
            one["priority"],
            one["due"],
            ", ".join(one["assignees"]) or "everybody",
            one["committed_version"],
        )
        for one in found
    )
    show_table("name", "dataset", "state", "done", "of", "priority", "due", "for", "committed as", rows=rows)


@commands.command()
def create(
    name: str,
    dataset: str,
    sample: Annotated[list[str] | None, typer.Option(help="key of a sample; repeatable, in this order")] = None,
    of: Annotated[str | None, typer.Option("--slice", help="the samples of this slice")] = None,
    conditions: Annotated[
        str | None, typer.Option("--filter", help="which samples, like 'boxes >= 10', or a JSON file of conditions")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="classify or grid; boxes or polygons")] = None,
    mode: Annotated[
        str | None, typer.Option(help="verify (ask whether each suggested object is right) or label")
    ] = None,
    answers: Annotated[int, typer.Option(help="answers from different people for each task")] = 1,
    blind: Annotated[
        float | None, typer.Option(help="share of tasks that hide their suggestion; 0.05 by default")
    ] = None,
    gold: Annotated[
        float | None, typer.Option("--gold-share", help="share of tasks whose label is known, see `lode label gold`")
    ] = None,
    review: Annotated[float | None, typer.Option(help="share of tasks that go to review")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="most samples to take of those that pass, drawn at random")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="seed of the random draw")] = 0,
    priority: Priority = None,
    due: Due = None,
    assign: Assignees = None,
) -> None:
    """Create a queue of samples to label; without --sample, --slice or --filter, of all that are unlabelled."""
    from_file = conditions is not None and Path(conditions).is_file()
    filter_: str | dict[str, Any] | None = read_json(Path(str(conditions))) if from_file else conditions
    if of and filter_ is not None:
        filter_ = {"all": [{"slice": of}, filter_]} if isinstance(filter_, dict) else both(of, filter_)
    chosen = filter_ if filter_ is not None else {"slice": of} if of else None
    shares = {"blind_share": blind, "gold_share": gold, "review_share": review}
    terms: dict[str, Any] = {name: value for name, value in shares.items() if value is not None}
    terms |= _work(priority, due, assign) | ({} if limit is None else {"limit": limit, "seed": seed})
    queue = client().queues.create(
        name, dataset, samples=sample or None, filter=chosen, kind=kind, mode=mode, answers_per_task=answers, **terms
    )
    if answered(queue):
        return
    total = queue["counts"]["total"]
    of_all = f" of {queue['passing']:,} that were chosen" if queue["passing"] > total else ""
    wait = "waits" if total == 1 else "wait"
    out.print(f"{plural(total, 'sample')}{of_all} of {dataset} {wait} in {name}: {client().url}/app/label/{name}")
    if (aside := queue.get("near_duplicates")) and (aside["left_out"] or aside["included"]):
        out.print(
            f"  near-duplicates of test samples, which are not trained on: {aside['left_out']} left out, "
            f"{aside['included']} in it because you named them"
        )
    for words in _copies(queue.get("copies"), dataset):
        out.print(f"  {words}")


def _copies(counts: LeftOutCopies | None, dataset: str) -> list[str]:
    """Describe the copies that a queue leaves out."""
    found = []
    if counts and counts["same_bytes"]:
        found.append(f"{counts['same_bytes']:,} left out: another sample of the queue has their bytes")
    if counts and counts["labelled"]:
        found.append(f"{counts['labelled']:,} left out: a labelled sample has their bytes; take over its label: "
                     f"lode dataset copies {dataset}")  # fmt: skip
    return found


@commands.command()
def add(queue: str, slice_: SliceName = None, filter_: FilterText = None) -> None:
    """Append samples of its dataset's head that pass a filter to a queue."""
    chosen = both(slice_, filter_)
    if chosen is None:
        raise typer.BadParameter("say which samples: --filter or --slice")
    told = client().queues.add(queue, chosen)
    if answered(told):
        return
    more = [f"{plural(told['added'], 'sample')} added"]
    more += [f"{told['already']:,} were in it"] if told["already"] else []
    more += [f"{told['left_out']:,} near-duplicates of test samples are left out"] if told["left_out"] else []
    out.print(f"{queue}: {'; '.join(more)}")
    for words in _copies(told.get("copies"), "DATASET"):
        out.print(f"  {words}")


@commands.command()
def show(queue: str) -> None:
    """Show the progress of a queue."""
    found = client().queues.get(queue)
    if answered(found):
        return
    terms = ("dataset", "kind", "mode", "state", "answers_per_task", "blind_share", "gold_share", "review_share")
    rows = [(name, found[name]) for name in terms]  # type: ignore[literal-required]  # the names are those of the document
    rows += [("priority", found["priority"]), ("due", found["due"] or "")]
    rows += [("for", ", ".join(found["assignees"]) or "everybody")]
    rows += [*found["counts"].items(), ("flagged", found["flagged"]), ("reviews open", found["reviews_open"])]
    rows += [("commit", words)] if (words := commit_words(found["auto_commit"])) else []
    show_table("what", "value", rows=[(name, str(value)) for name, value in rows])


@commands.command()
def waiting(
    project: OfProject = None,
) -> None:
    """Show what waits in each queue for annotators, reviewers and a commit, the most urgent first."""
    found = client().queues.waiting(project=project)
    if answered(found):
        return
    rows = (
        (one["name"], one["todo"] + one["leased"], one["leased"], one["reviews"], one["disputed"], one["flagged"],
         one["skipped"], one["comments"], one["labels"], one["since"], one["due"], _reached(one),
         ", ".join(one["assignees"]) or "everybody")
        for one in found
    )  # fmt: skip
    show_table(
        "queue", "open", "leased", "review", "disputed", "flagged", "skipped", "comments", "to commit", "since", "due",
        "at this pace", "for", rows=rows,
    )  # fmt: skip
    out.print("pace: answers per hour of the clock on the last 7 days that had any, of the last 30")


def _reached(one: WaitingQueue) -> str:
    pace, words = one["pace"], {True: ", in time", False: ", too late", None: ""}
    if not pace["answers_left"]:
        return "answered"
    if pace["per_hour"] is None or pace["hours_left"] is None:
        return "no pace yet" + words[pace["in_time"]]
    return f"{pace['hours_left']:,.0f} h at {pace['per_hour']:,.1f}/h{words[pace['in_time']]}"


@commands.command()
def change(
    queue: str,
    mode: Annotated[
        str | None, typer.Option(help="verify (ask whether each suggested object is right) or label")
    ] = None,
    priority: Priority = None,
    due: Due = None,
    no_due: Annotated[bool, typer.Option("--no-due", help="remove its due time")] = False,
    assign: Assignees = None,
    everybody: Annotated[bool, typer.Option("--everybody", help="make it for everybody who may label")] = False,
) -> None:
    """Change what a queue asks people, its priority among others, and its assignees."""
    if (due and no_due) or (assign and everybody):
        raise typer.BadParameter("--no-due ends --due, and --everybody ends --assign: say one of the two")
    terms = _work(priority, due, assign) | ({"mode": mode} if mode else {})
    terms |= ({"due": None} if no_due else {}) | ({"assignees": []} if everybody else {})
    if not terms:
        raise typer.BadParameter("say what to change: --mode, --priority, --due, --no-due, --assign or --everybody")
    changed = client().queues.change(queue, **terms)
    if not answered(changed):
        out.print(f"{queue}: " + "; ".join(f"{name} {_told(changed[name])}" for name in terms))  # type: ignore[literal-required]  # the names are those of the document


def _work(priority: str | None, due: datetime | None, assign: list[str] | None) -> dict[str, Any]:
    """Collect the given options for a queue's priority and assignees."""
    said = {"priority": priority, "due": due and due.astimezone().isoformat(), "assignees": assign or None}
    return {name: value for name, value in said.items() if value is not None}


def _told(value: object) -> str:
    if value is None:
        return "none"
    return (", ".join(value) or "everybody") if isinstance(value, list) else str(value)


@commands.command()
def statistics(queue: str) -> None:
    """Show what people did with the suggested objects, and the seconds to verify and to draw one."""
    found = client().queues.statistics(queue)
    if answered(found):
        return
    names = ("class", "asked", "kept", "moved", "reclassed", "removed", "missing", "median_seconds")
    in_all = {"class": "all", "missing": sum(one["missing"] for one in found["by_class"])}
    counted: list[dict[str, object]] = [{**one} for one in found["by_class"]]
    rows = [[one[name] for name in names] for one in [*counted, {**found["objects"], **in_all}]]
    show_table(*names[:-1], "s each", rows=rows)
    missing, drawn = found["missing"], found["drawn"]
    out.print(
        f"one was missing in {missing['found']} of {missing['asked']} images (asking took "
        f"{_seconds(missing['median_seconds'])}); drawing one took {_seconds(drawn['median_seconds'])} "
        f"({drawn['objects']} drawn)"
    )


def _seconds(median: float | None) -> str:
    return "no time yet" if median is None else f"{median:.1f} s"


@commands.command()
def requeue(
    queue: str,
    task: Annotated[
        list[int] | None, typer.Option(help="id of a skipped task; repeatable; by default all of them")
    ] = None,
) -> None:
    """Reopen skipped tasks."""
    again = client().queues.requeue(queue, tasks=task or None)
    if not answered({"requeued": again}):
        out.print(f"{plural(again, 'task')} {'waits' if again == 1 else 'wait'} again")


@commands.command()
def export(
    queue: str,
    to: Annotated[Path, typer.Option(callback=place_for_a_file, help="the file to write: JSON lines, a task each")],
    state: Annotated[str | None, typer.Option(help="only todo, leased, done or skipped; several with commas")] = None,
) -> None:
    """Write every task with its answers into a file."""
    write_whole(to, client().queues.export(queue, state=state))
    if not answered({"file": str(to), "bytes": to.stat().st_size}):
        out.print(f"wrote {to}")


@commands.command()
def comments(queue: str) -> None:
    """List the unresolved comments on a queue's images, the newest first."""
    found = client().queues.comments(queue=queue, open=True)
    if answered(found):
        return
    rows = ((one["id"], one["sample"]["key"], one["author"]["username"], one["created"], one["text"]) for one in found)
    show_table("id", "sample", "author", "written", "text", rows=rows)


@commands.command()
def hold(queue: str) -> None:
    """Stop pipelines from committing the queue until `lode queue release`."""
    held = client().queues.hold(queue)
    if not answered(held):
        out.print(f"{held['name']}: {commit_words(held['auto_commit'])}")


@commands.command()
def release(queue: str) -> None:
    """Release a hold; the time to the commit starts again."""
    free = client().queues.release(queue)
    if not answered(free):
        out.print(f"{free['name']}: {commit_words(free['auto_commit'])}")


@commands.command()
def commit(
    queue: str,
    message: Message = "",
    partial: Annotated[bool, typer.Option("--partial", help="commit even if tasks are still open")] = False,
) -> None:
    """Commit a queue's answers as a new dataset version."""
    dataset = client().queues.get(queue)["dataset"]
    show_commit(dataset, client().queues.commit(queue, message=message, partial=partial))


def annotate(
    queue: str,
    truth: Annotated[
        Path,
        typer.Option(
            help='file of JSON lines {"key": .., "label": {..}}', exists=True, dir_okay=False, callback=file_with_an_end
        ),
    ],
) -> None:
    """Let a stand-in annotator answer a queue from recorded truth, through the calls that a person's page makes."""
    known = annotator.read_truth(truth)
    todo = client().queues.get(queue)["counts"]
    with progress_bars(aside()) as bars:
        answering = f"Answering {queue}"
        row = bars.add_task(answering, total=todo["todo"] + todo["leased"])

        def show(tally: annotator.Tally) -> None:
            bars.update(row, completed=tally.answered + tally.skipped + tally.opinions, description=answering)

        def wait(leased: int, frees: float) -> None:
            held = f"{plural(leased, 'task')} of {queue} held by others, the first for {frees:.0f} s"
            bars.update(row, description=f"Waiting: {held}")

        tally = annotator.annotate(client(), queue, truth=known, on_answer=show, on_wait=wait)
    if answered(tally):
        return
    out.print(f"{tally.answered} answered, {tally.skipped} skipped, {tally.opinions} kept as further opinions")
