"""`lode dataset import-dvc`: an existing DVC repository becomes a dataset."""

from typing import Annotated

import typer

from motherlode.adopting import Adopted, adopt, default_name, revisions
from motherlode.cli.terminal import answered, aside, class_names, client, err, exit_as, out, show_not_taken, valid_name
from motherlode.cli.transfers import CONVERT
from worker_programs.filekinds import is_for_people, is_hidden
from worker_programs.wording import plural


def import_dvc(
    url: Annotated[str, typer.Argument(help="the git repository, an address or a folder")],
    rev: Annotated[str | None, typer.Option(help="a tag, branch or commit (default: the head)")] = None,
    all_tags: Annotated[bool, typer.Option("--all-tags", help="every tag, the oldest first")] = False,
    path: Annotated[str, typer.Option(help="the directory in it that DVC tracks")] = "data",
    name: Annotated[str | None, typer.Option(help="the dataset (default: named as the repository)")] = None,
    classes: Annotated[str, typer.Option(help="classes of a new dataset; default: the folders of the images")] = "",
    convert: Annotated[bool, typer.Option(help=CONVERT)] = False,
) -> None:
    """Take a DVC repository over: one version per revision. After a break, start it again. Exit codes are those of
    `push`."""
    if rev and all_tags:
        raise typer.BadParameter("name a revision, or take --all-tags")
    dataset = valid_name(name) if name else default_name(url)
    named = [one for one in class_names(classes) if one]
    wanted = revisions(url, rev=rev, all_tags=all_tags)

    def show(one: Adopted) -> None:
        made = "is there already" if one.commit is None else f"version {one.commit['version']}"
        aside().print(f"{one.revision.name} ({one.revision.sha[:8]}): {made}")
        if one.left_out:
            others = plural(len(one.left_out), "file")
            err.print(f"  left out, as not named like images: {others}, the first {one.left_out[0]}", soft_wrap=True)
        if one.commit is not None:
            show_not_taken(one.commit)

    done = adopt(client(), dataset, url, wanted, path=path, classes=named, convert=convert, on_revision=show)
    if not answered({"dataset": dataset, "revisions": done}):
        out.print(f"dataset {dataset} holds {plural(len(wanted), 'revision')} of {url}")
    left_out = sum(not is_hidden(name) and not is_for_people(name) for one in done for name in one.left_out)
    exit_as(*(one.commit for one in done if one.commit is not None), left_out=left_out)


COMMANDS = (import_dvc,)
