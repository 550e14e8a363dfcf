"""`lode dataset count`, `stats`, `slices`, `slice` and `tag-samples`: select samples by a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from motherlode.cli.terminal import VersionName, answered, client, out, show_commit, show_table
from motherlode.resources.filters import both
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Bar


FilterText = Annotated[str | None, typer.Option("--filter", help="which samples, like 'split = train and boxes >= 10'")]
SliceName = Annotated[str | None, typer.Option("--slice", help="only the samples of this slice (a saved filter)")]


def count(name: str, filter_: Annotated[str, typer.Argument(metavar="FILTER", help="such as `split = train`")],
          version: VersionName = "head") -> None:  # fmt: skip
    """Count the samples that pass a filter, and print the filter in its normal form."""
    found = client().filters.check(name, filter_, version)
    if answered(found):
        return
    out.print(f"{plural(found['count'], 'sample')} of version {found['version']}: {found['text']}")


def stats(name: str, version: VersionName = "head", slice_: SliceName = None, filter_: FilterText = None) -> None:
    """Show classes by split; where labels hold objects, also objects per image, their sizes, shapes and attributes."""
    found = client().filters.statistics(name, version, chosen=both(slice_, filter_))
    if answered(found):
        return
    out.print(f"{plural(found['images'], 'image')} of version {found['version']}, {found['labelled']:,} labelled\n")
    splits = list(found["by_split"])
    objects = found["objects"]
    rows = [
        (one["class"], one["images"], *([] if objects is None else [one["objects"]]),
         *(one["by_split"].get(split, 0) for split in splits))
        for one in found["classes"]
    ]  # fmt: skip
    show_table("class", "images", *([] if objects is None else ["objects"]), *splits, rows=rows)
    if objects is None:
        return
    out.print(
        f"\n{plural(objects['boxes'], 'box', 'boxes')}, {plural(objects['polygons'], 'polygon')}, "
        f"{plural(objects['ignored'], 'ignore region')}; "
        f"{plural(objects['images_without'], 'labelled image')} without an object"
    )
    _bars("objects in an image", objects["per_image"])
    _bars("size (COCO)", objects["sizes"])
    _bars("side, pixels", objects["sides"])
    _bars("width / height", objects["aspects"])
    if objects["together"]:
        out.print()
        pairs = [(" + ".join(pair["classes"]), pair["images"]) for pair in objects["together"][:10]]
        show_table("together in an image", "images", rows=pairs)
    for attribute in objects["attributes"]:
        out.print()
        told = [(str(one["value"]), one["count"]) for one in attribute["values"]]
        told += [("others", attribute["others"])] if attribute["others"] else []
        show_table(attribute["name"], "objects", rows=told)


def slices(name: str) -> None:
    """List the saved filters of a dataset."""
    found = client().filters.slices(name)
    if answered(found):
        return
    show_table("slice", "filter", "by", rows=[(one["name"], one["text"], one["created_by"]) for one in found])


def slice_(
    name: str,
    slice_name: Annotated[str, typer.Argument(metavar="SLICE", help="the slice's name")],
    filter_: FilterText = None,
    rename: Annotated[str | None, typer.Option(help="new name of the slice")] = None,
    delete: Annotated[bool, typer.Option("--delete", help="delete the slice")] = False,
) -> None:
    """Save a filter under a name, change it, rename it, or delete it."""
    filters = client().filters
    if delete:
        filters.remove(name, slice_name)
        if not answered({"dataset": name, "slice": slice_name}):
            out.print(f"slice {slice_name} is gone")
        return
    if filter_ is None and rename is None:
        raise typer.BadParameter("say what to do: --filter, --rename or --delete")
    there = rename is not None or any(one["name"] == slice_name for one in filters.slices(name))
    if there:
        kept = filters.change(name, slice_name, to=rename, chosen=filter_)
    else:
        kept = filters.save(name, slice_name, filter_ or "")
    counted = filters.check(name, kept["filter"])["count"]
    if not answered(kept | {"count": counted}):
        out.print(f"slice {kept['name']}, {plural(counted, 'sample')}: {kept['text']}")


def tag_samples(
    name: str,
    slice_: SliceName = None,
    filter_: FilterText = None,
    add: Annotated[list[str] | None, typer.Option(help="tag to add; repeatable")] = None,
    remove: Annotated[list[str] | None, typer.Option(help="tag to remove; repeatable")] = None,
) -> None:
    """Add tags to the samples of the head that pass a filter, or remove them."""
    chosen = both(slice_, filter_)
    if chosen is None:
        raise typer.BadParameter("say which samples: --filter or --slice")
    show_commit(name, client().filters.tag(name, chosen, add=add or (), remove=remove or ()))


COMMANDS = (count, stats, slices, slice_, tag_samples)


def _bars(title: str, bars: list[Bar]) -> None:
    out.print()
    show_table(title, "count", rows=[(bar["name"], bar["count"]) for bar in bars if bar["count"]])
