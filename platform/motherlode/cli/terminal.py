"""Helpers of every command: the client, tables, a bar for a job, the explanation of an error."""

from __future__ import annotations

import csv
import inspect
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_origin

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from motherlode.bars import JobBar, duration, progress_bars
from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError
from motherlode.resources.jobs import ENDED
from worker_programs.filekinds import HIDDEN_FILE
from worker_programs.names import name_fault
from worker_programs.wording import plural, printable

if TYPE_CHECKING:
    from motherlode.documents import AutoCommit, Commit, Incomplete, Job, LiveJob, PassedOver, Rejection, SplitCount


Command = TypeVar("Command", bound=Callable[..., Any])
PATIENCE_SECONDS = 5.0
ENDLESS = 100_000  # columns
MOST_ROWS = 1_000_000_000
SHOWN_DUPLICATES = 3
SHOWN_REJECTIONS = 100
SHOWN_KEYS = 3
LISTED = frozenset({"item_refused", "object_unheld"})  # passed over, and listed one by one elsewhere
ALL_TAKEN, FAILED, SOME_REFUSED, NOTHING_TAKEN = 0, 1, 3, 4  # exit codes; 2 is wrong usage
REFUSING_ALL = frozenset({"nothing_accepted", "not_all_accepted"})
REMEDIES = {
    "archived": "The command `restore` of the same noun takes it out of the archive.",
    "not_archived": "The command `archive` of the same noun comes first.",
    "still_needed": "The command `delete` without --confirm lists everything that needs it.",
    "unreachable": "`make up` starts the platform of this checkout; MOTHERLODE_URL or PORT name another one.",
    "not_authenticated": "Set MOTHERLODE_URL and MOTHERLODE_TOKEN; the owner's token is in the platform's var/token.",
    "stale_parent": "Look at the versions since, then push again on the new head.",
    "dataset_unknown": "`lode dataset list` shows the datasets.",
    "model_unknown": "`lode model list` shows the models.",
    "model_version_unknown": "`lode model show` lists the versions and aliases.",
    "run_unknown": "`lode run list` shows the runs.",
    "sweep_unknown": "`lode sweep list` shows the sweeps.",
    "gates_failed": "`lode model gates` shows what is asked; --override moves the alias all the same.",
    "pipeline_unknown": "`lode pipeline list` shows the pipelines.",
    "person_unknown": "`lode people list` shows everybody.",
    "answer_not_kept": "`lode people list` shows who is there; `lode people token` makes another token.",
    "queue_unknown": "`lode queue list` shows the queues.",
    "mining_job_unknown": "`lode mine list` shows the mining jobs.",
    "pick_unknown": "`lode mine picks` lists the picks by rank.",
    "backtest_unknown": "`lode backtest list` shows the back-tests.",
    "job_not_resumable": "`lode job list --state failed` shows the jobs that can be resumed.",
    "round_open": "`lode pipeline show` says what the open round waits for.",
}

CLASSES = "with commas between; one with a comma in it in double quotes"
OfProject = Annotated[str | None, typer.Option(help="one project only; all your projects by default")]
InProject = Annotated[
    str | None, typer.Option(help="project to create it in; by default the only one you may build in")
]
VersionName = Annotated[str, typer.Option(help="a number, a tag, an alias or head")]
Message = Annotated[str, typer.Option(help="what the new version's message says")]
NamesEncoding = Annotated[
    str | None, typer.Option(help="encoding of an archive's names that are not UTF-8, like gbk, cp932 or cp850")
]
Description = Annotated[str, typer.Option(help="what it is, for others")]
Architecture = Annotated[
    str | None,
    typer.Option(help="a name that `lode model architectures` lists; by default what is recommended"),
]
Seed = Annotated[int, typer.Option(help="seed of all random draws")]
Limit = Annotated[int, typer.Option(min=0, max=MOST_ROWS, help="how many to list, newest first")]


ARGUMENTS = {
    "name": "its name",
    "queue": "the queue's name, or its number",
    "run": "the run's number",
    "dataset": "the dataset's name",
    "job": "the mining job's number",
    "job_id": "the job's number",
    "person": "their name",
    "project": "the project's name",
    "role": "the role they get",
    "sweep": "the sweep's name, or its number",
    "backtest": "the back-test's name, or its number",
    "model": "the model's name",
    "text": "the note; it replaces the one before",
    "tag": "the tag's name",
    "alias": "the alias's name",
    "review": "the review's number",
    "part": "the part's number",
}
"""What arguments are, by their name, where a command says nothing more of its own."""


def _console(*, stderr: bool = False) -> Console:
    """Create a console that prints text as it is: a `[red]` or `:cat:` in it is part of a name. Lines are wrapped only
    on a terminal: other programs read one line per row."""
    console = Console(stderr=stderr, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = ENDLESS
    return console


out = _console()
err = _console(stderr=True)


@cache
def client() -> Motherlode:
    """Return the client of the platform that the environment names."""
    return Motherlode(patience=PATIENCE_SECONDS)


_as_json: ContextVar[bool] = ContextVar("as_json", default=False)


class Commands(typer.Typer):
    """Commands that all have `--json`: each gives its document to `answered`, and then words about it."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Command], Command]:
        add = super().command(name, **settings)

        def adding(run: Command) -> Command:
            add(with_json(run))
            return run

        return adding


def with_json(run: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--json` to a command."""

    @wraps(run)
    def command(*args: Any, as_json: bool, **options: Any) -> Any:
        before = _as_json.set(as_json)
        try:
            return run(*args, **options)
        finally:
            _as_json.reset(before)

    flag = Annotated[bool, typer.Option("--json", help="print the result as JSON, for other programs")]
    told = inspect.signature(run, eval_str=True)
    params = [_explained(param) for param in told.parameters.values()]
    asked = inspect.Parameter("as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=flag)
    command.__signature__ = told.replace(parameters=[*params, asked])  # type: ignore[attr-defined]
    command.__annotations__ = {param.name: param.annotation for param in (*params, asked)}
    return command


def _explained(param: inspect.Parameter) -> inspect.Parameter:
    """Give an argument that is only a name and a type its words."""
    if param.default is not inspect.Parameter.empty or get_origin(param.annotation) is Annotated:
        return param
    return param.replace(annotation=Annotated[param.annotation, typer.Argument(help=ARGUMENTS[param.name])])


def group(summary: str) -> Commands:
    """Create the command group of one noun."""
    return Commands(help=summary, no_args_is_help=True)


def answered(document: object) -> bool:
    """Print what a command has to say as JSON, and nothing else, if --json asks for it. If this returns False, it says
    it in words. Pages of a list are read to their end, and only then."""
    if as_json():
        out.print_json(json.dumps(document, default=_plain))
    return as_json()


def _plain(value: object) -> object:
    """Convert what JSON lacks: an iterator, and a dataclass."""
    return list(value) if isinstance(value, Iterator) else asdict(value)  # type: ignore[call-overload]


def as_json() -> bool:
    """Whether the command was asked for a document: standard output then holds that alone."""
    return _as_json.get()


def aside() -> Console:
    """Return the console of progress, and of whatever a command says before its answer."""
    return err if as_json() else out


def explain(error: MotherlodeError) -> None:
    """Print an error: its code, what is wrong, field by field, and the fix if one is known for the code."""
    refused = error.extra.get("rejected")
    detail = _without_first(error.detail, refused[0]) if refused else error.detail
    err.print(Text.assemble((error.code, "bold red"), f"  {detail}"), soft_wrap=True)
    if refused:
        show_rejected(refused)
    for field, messages in error.errors.items() if not refused else ():
        for message in messages:
            words = f"{field}: {message}"
            # The detail names the field alone, without the part of the request that it is in.
            if message != error.detail and words not in error.detail and not words.endswith(f".{error.detail}"):
                err.print(f"  {words}", highlight=False, soft_wrap=True)
    show_incomplete(error.extra.get("incomplete", []))
    if remedy := REMEDIES.get(error.code):
        err.print(f"  {remedy}", highlight=False, soft_wrap=True)
    show_notes(error)


def _without_first(detail: str, first: Rejection) -> str:
    """Return the detail of a refusal without the first reason, which is listed below it."""
    return detail.removesuffix(f" The first: {first['detail']}").removesuffix(
        f"; the first, {first['key']}: {first['detail']}"
    )


def show_notes(error: BaseException | None) -> None:
    """Print what was noted about an error, or what led to it, on its way: a job that goes on."""
    while error is not None:
        for note in getattr(error, "__notes__", ()):
            err.print(f"  {note}", highlight=False, soft_wrap=True)
        error = error.__cause__ or error.__context__


def share(value: float | None) -> str | None:
    """Format a fraction as per cent."""
    return None if value is None else f"{value:.2%}"


def compact(document: Mapping[str, Any] | None) -> str | None:
    """Format a document as one line of JSON; None if it is empty."""
    return json.dumps(document) if document else None


def commit_words(commit: AutoCommit | None) -> str | None:
    """Describe when a round commits its queue; None if no round does."""
    if commit is None:
        return None
    if commit["held"] is not None:
        return f"held by {commit['held_by']} since {commit['held']}: lode queue release"
    if commit["seconds_left"] is not None:
        return f"committed in {commit['seconds_left']:.0f} s; lode queue hold stops that, lode queue commit does it now"
    return f"committed {commit['grace']} s after the last answer"


def left_out_words(number: int | None, what: str) -> str | None:
    """Describe how many samples were left out as near-duplicates of test samples; None if there are none."""
    return f"{number} {what}: near-duplicates of test samples, nothing is trained on them" if number else None


def show_warnings(warnings: Sequence[Mapping[str, Any]]) -> None:
    """Print each warning of a training or a version on a line of its own."""
    for warning in warnings:
        out.print(f"warning: {warning['detail']}", style="yellow", soft_wrap=True, highlight=False)


def read_json(path: Path | None) -> dict[str, Any] | None:
    """Read the object in a JSON file; None without a path. Raises BadParameter naming the file if it holds something
    else."""
    return None if path is None else json_object(path.read_bytes(), str(path))


def json_object(text: str | bytes, name: str) -> dict[str, Any]:
    """Parse a text as a JSON object. Raises BadParameter with the text's `name` if it is not one."""
    found = json_value(text, name)
    if not isinstance(found, dict):
        raise typer.BadParameter(f"{name} holds no JSON object: begin with {{ and end with }}")
    return found


def json_value(text: str | bytes, name: str) -> Any:
    """Parse a text as JSON. Raises BadParameter with the text's `name` if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"{name} is not JSON: {error}") from error


def valid_name(name: str) -> str:
    """Return the name of a new thing. Raises MotherlodeError, which offers a valid name, for one that the platform
    would refuse."""
    if (fault := name_fault(name)) is not None:
        raise MotherlodeError(status=0, code="invalid", detail=f"name {name!r}: {fault}")
    return name


def class_names(text: str) -> list[str]:
    """Parse names separated by commas or line ends; a name that has a comma in it is in double quotes, as in CSV.
    Raises BadParameter."""
    try:
        rows = list(csv.reader(text.splitlines(), skipinitialspace=True, strict=True))
    except csv.Error as error:
        reason = f"{error}: a name in double quotes ends with a double quote, as in '\"tench, Tinca tinca\",goldfish'"
        raise typer.BadParameter(reason) from error
    return [name.strip() for row in rows for name in row]


def class_list(names: list[str]) -> str:
    """Format names as `class_names` reads them."""
    return ", ".join(_quoted(name) if "," in name or name.startswith('"') else name for name in names)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def parsed(settings: list[str]) -> dict[str, dict[str, Any]]:
    """Parse `recipe.steps=500` into `{"recipe": {"steps": 500}}`. A value is parsed as JSON, else kept as text."""
    config: dict[str, dict[str, Any]] = {}
    for one in settings:
        path, found, text = one.partition("=")
        part, dot, name = path.partition(".")
        if not (found and dot and name):
            raise typer.BadParameter(f"{one!r}: wants PART.NAME=VALUE, such as recipe.steps=500")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        config.setdefault(part, {})[name] = value
    return config


Needs = Annotated[
    list[str] | None,
    typer.Option(
        "--needs", help="what its machine must have: gpus=1, gpu_memory_bytes=.., memory_bytes=.., cores=..; repeatable"
    ),
]


def needs_told(settings: list[str] | None) -> dict[str, Any] | None:
    """Parse `gpus=1` into `{"gpus": 1}`; None without settings."""
    for one in settings or []:
        if not one.partition("=")[1]:
            raise typer.BadParameter(f"{one!r}: wants NAME=VALUE, such as gpus=1")
    return parsed([f"needs.{one}" for one in settings]).get("needs") if settings else None


def show_table(*columns: str, rows: Iterable[Iterable[object]]) -> None:
    """Print rows under their columns' names; numbers to the right, None as a dash."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    cells = [list(row) for row in rows]
    for index, column in enumerate(columns):
        numeric = bool(cells) and all(isinstance(row[index], int | float | None) for row in cells)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in cells:
        table.add_row(*("-" if cell is None else str(cell) for cell in row))
    out.print(table)


def show_commit(dataset: str, commit: Commit) -> None:
    """Print what a commit did, and what it rejected."""
    if answered(commit):
        return
    counts = [f"{commit[name]:,} {name}" for name in ("added", "updated", "removed", "labelled", "unchanged")
              if commit[name]]  # fmt: skip
    if commit["rejected"]:
        counts.append(f"{len(commit['rejected']):,} rejected")
    if passed_over := sum(row["count"] for row in _counted_only(commit)):
        counts.append(f"{passed_over:,} passed over")
    out.print(f"{dataset} is at version {commit['version']}: {', '.join(counts) or 'nothing changed'}")
    if splits := commit.get("splits"):
        out.print(f"  splits: {'; '.join(map(_split_words, splits))}", soft_wrap=True)
    if corrected := commit.get("corrected"):
        out.print(f"  out of test: {plural(corrected, 'sample')}, as no model was judged by them", soft_wrap=True)
    if converted := commit.get("converted"):
        out.print(f"  converted: {converted:,} of them; the originals are kept")
    _show_duplicates(dataset, commit)
    show_not_taken(commit)


def show_not_taken(commit: Commit) -> None:
    """Print what a commit changed, and all that it did not take, with numbers."""
    for note in commit.get("notes", []):
        err.print(f"  note: {note}", highlight=False, soft_wrap=True)
    for row in _counted_only(commit):
        first = f"; the first: {printable(row['first'])}" if row["first"] else ""
        words = f"  passed over: {printable(row['what'])} ({row['count']:,}{first})"
        err.print(words, highlight=False, soft_wrap=True)
    show_incomplete(commit.get("incomplete", []))
    show_rejected(commit["rejected"])


def _split_words(row: SplitCount) -> str:
    return f"{row['split']} {row['samples']:,}, {printable(row['why'])}"


def _counted_only(commit: Commit) -> list[PassedOver]:
    """Return what was passed over and is listed nowhere else."""
    return [row for row in commit.get("passed_over", []) if row["code"] not in LISTED]


def show_incomplete(rows: Sequence[Incomplete]) -> None:
    """Print which objects a label can't hold, and in how many images."""
    for row in rows:
        words = f"{plural(row['objects'], 'object')} in {plural(row['images'], 'image')} can't be kept: {row['reason']}"
        err.print(f"  {words}; the first: {', '.join(row['examples'])}", soft_wrap=True)


def show_rejected(items: Sequence[Rejection]) -> None:
    """Print what was rejected, and why: one line per reason, with the number of files and the first keys."""
    alike: dict[tuple[str, str], list[str]] = {}
    for item in items:
        alike.setdefault((item["code"], printable(item["detail"])), []).append(printable(item["key"]))
    for (code, detail), keys in list(alike.items())[:SHOWN_REJECTIONS]:
        err.print(Text.assemble(f"  rejected {keys[0]}: ", (code, "red"), f" {detail}"), soft_wrap=True)
        if len(keys) > 1:
            err.print(f"    and {len(keys) - 1:,} more for this reason, {_first_keys(keys[1:])}", soft_wrap=True)
    if (more := len(alike) - SHOWN_REJECTIONS) > 0:
        err.print(f"  and {plural(more, 'more reason')}; --json lists every key")


def _first_keys(keys: Sequence[str]) -> str:
    return ", ".join(keys[:SHOWN_KEYS]) + (" …" if len(keys) > SHOWN_KEYS else "")


def exit_as(*commits: Commit, left_out: int = 0) -> None:
    """Exit with the code for commits that took everything as it stands, or passed something over; `left_out` counts
    files that were not sent at all. Rejected hidden files don't count. Raises typer.Exit."""
    refused = any(item["code"] != HIDDEN_FILE for commit in commits for item in commit["rejected"])
    passed_over = any(commit.get("passed_over") or commit.get("incomplete") for commit in commits)
    raise typer.Exit(SOME_REFUSED if refused or passed_over or left_out else ALL_TAKEN)


def _show_duplicates(dataset: str, commit: Commit) -> None:
    if held := commit.get("held_out"):
        err.print(
            f"  kept out of train: {plural(held['samples'], 'image')} ({held['labelled']:,} labelled) that nearly "
            f"look like a test image, now in pool. Look: lode dataset near-duplicates {dataset}; train on them "
            f"all the same: lode dataset allow {dataset} --all",
            soft_wrap=True,
        )
    if likeness := commit.get("likeness"):
        err.print(f"  {likeness['detail']}", soft_wrap=True)
    if leaks := commit.get("leaks"):
        err.print(f"  leaks, of train or val: {plural(len(leaks), 'image')} nearly like a new test image")
    same = commit.get("exact_duplicates")
    if same and (same["in_commit"] or same["in_dataset"]):
        err.print(
            f"  exact duplicates, kept: {plural(same['in_commit'], 'image')} with the bytes of another one of this "
            f"commit, {same['in_dataset']:,} with those of another sample of the dataset",
            soft_wrap=True,
        )
        for pair in same["pairs"][:SHOWN_DUPLICATES]:
            err.print(f"    {pair['key']} = {pair['of']}", soft_wrap=True)


def version_named(text: str) -> tuple[str, str | None]:
    """Split `name` or `name@v3` into the dataset and its version, None for the head."""
    name, at, version = text.partition("@")
    if not name or (at and not version):
        raise typer.BadParameter(f"{text!r}: wants a dataset, or a dataset and its version such as name@v3")
    return name, version or None


def typed_path(text: str) -> Path:
    """Parse a path argument. Raises BadParameter for an empty one, as an unset variable leaves it: it would mean this
    folder."""
    if not text:
        raise typer.BadParameter("an empty path names nothing; this folder is .")
    return Path(text)


def typed_folder(text: str) -> Path:
    """Parse a path argument of a folder, which need not exist yet. Raises BadParameter for a file."""
    folder = typed_path(text)
    if folder.exists() and not folder.is_dir():
        raise typer.BadParameter(f"{folder} is a file: name a folder")
    return folder


def file_with_an_end(source: Path | None) -> Path | None:
    """Callback of an option that names a file to read whole: rejects devices, because one such as /dev/zero never
    ends."""
    if source is not None and source.is_char_device():
        raise typer.BadParameter(f"{source} is not a regular file: save it as one, and name that")
    return source


def place_for_a_file(target: Path | None) -> Path | None:
    """Callback of an option that names the file to write: rejects unusable paths before any work is done."""
    if target is None:
        return None
    if target.is_dir():
        reason = "is a folder: name the file in it"
    elif target.exists() and not target.is_file():
        reason = "is not a regular file: what is there would be replaced; name another place"
    elif not target.parent.is_dir():
        reason = f"there is no folder {target.parent}"
    elif not os.access(target.parent, os.W_OK):
        reason = f"nothing can be written into {target.parent}"
    else:
        return target
    raise MotherlodeError(status=0, code="file_unusable", detail=f"{target}: {reason}")


def write_whole(target: Path, pieces: Iterable[bytes]) -> None:
    """Write a file completely or not at all, even if writing fails midway."""
    partial = target.with_name(f".{target.name}.partial")
    try:
        with partial.open("wb") as file:
            for piece in pieces:
                file.write(piece)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def refuse_ended(what: str, job: Job) -> None:
    """Raise MotherlodeError for a job that has already ended and can't be stopped."""
    if job["state"] in ENDED:
        raise MotherlodeError(status=0, code="job_ended", detail=f"{what} has ended already: {job['state']}")


def waiting_words(job: Job) -> str | None:
    """Say where a job stands that waits for a worker; None for one that does not wait."""
    waiting = job["waiting"]
    if waiting is None:
        return None
    before = [f"#{one['id']} {one['title']}" if one["id"] else one["title"] for one in reversed(waiting["ahead"])]
    place = f"place {waiting['place']:,}, after {', '.join(before)}" if before else "next"
    seconds = waiting["starts_in"]
    start = f"starts in about {duration(seconds)}" if seconds is not None else f"unknown when: {waiting['note']}"
    return f"{place}; {start}"


def watch_job(job_id: int) -> LiveJob:
    """Follow a job with a bar and its log lines to its end. Raises JobFailedError if it did not succeed."""
    with progress_bars(aside()) as bars:
        bar, told = JobBar(bars), ("", "")

        def show(job: LiveJob) -> None:
            nonlocal told
            bar.show(job)
            place = job["waiting"]["place"] if job["waiting"] else None
            now = (job["missing"] or "", f"{place or ''}")
            if now != told and (words := now[0] or waiting_words(job)):
                bars.console.print(f"it waits: {words}", highlight=False)
            told = now
            for line in job["log"]:
                bars.console.print(f"{line['time'][11:19]} {line['message']}", highlight=False)

        return client().jobs.wait(job_id, on_progress=show)
