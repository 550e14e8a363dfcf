"""`lode plan`: storage, training, scoring, annotators, network and money for a fleet's data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
import yaml

from motherlode.cli.terminal import answered, client, file_with_an_end, out, parsed, show_table

if TYPE_CHECKING:
    from motherlode.documents import AsPrinted, Plan


DAYS_PER_YEAR, HOURS_PER_DAY = 365, 24
IN_DAYS = {"years": DAYS_PER_YEAR, "days": 1, "hours": 1 / HOURS_PER_DAY}
Example = Annotated[str | None, typer.Option(help="begin with a named example; --examples lists them")]
File = Annotated[
    Path | None,
    typer.Option(exists=True, dir_okay=False, callback=file_with_an_end,
                 help="YAML or JSON file: fleet, data, training, scoring, labeling, ..; other options override it"),
]  # fmt: skip
Terms = Annotated[
    list[str] | None,
    typer.Option("--set", help="prices.machine_hour=30, labeling.labels=5000, data.image_bytes=200000; repeatable"),
]


def plan(
    example: Example = None,
    file: File = None,
    vehicles: Annotated[float | None, typer.Option(help="number of vehicles in the fleet")] = None,
    terabytes_per_hour: Annotated[
        float | None, typer.Option(help="terabytes that one vehicle records per hour")
    ] = None,
    hours_per_day: Annotated[float | None, typer.Option(help="hours driven per day")] = None,
    days: Annotated[float | None, typer.Option(help="total days driven")] = None,
    share_kept: Annotated[
        float | None, typer.Option(help="share of the recordings that is kept: 0.0005 for 0.05 %")
    ] = None,
    images: Annotated[float | None, typer.Option(help="number of images kept")] = None,
    terabytes: Annotated[float | None, typer.Option(help="terabytes kept, in place of a fleet")] = None,
    target_days: Annotated[float | None, typer.Option(help="days within which training and scoring should end")] = None,
    terms: Terms = None,
    examples: Annotated[bool, typer.Option("--examples", help="list the named examples")] = False,
) -> None:
    """Calculate what a fleet's data need: storage, samples, training and scoring time, annotators, network and
    money."""
    if examples:
        found = client().plans.examples()
        if not answered(found):
            rows = ((one["name"], one["title"], one["source"]) for one in found)
            show_table("example", "what", "from", rows=rows)
        return
    fleet = {"vehicles": vehicles, "terabytes_per_hour": terabytes_per_hour, "hours_per_day": hours_per_day,
             "days": days, "share_kept": share_kept}  # fmt: skip
    given = {"fleet": fleet, "data": {"images": images, "terabytes": terabytes}}
    question = _over(_read(file), {name: _there(part) for name, part in given.items()}, parsed(terms or []))
    question |= _there({"example": example, "target_days": target_days})
    made = client().plans.make(question)
    if not answered(made):
        _show(made)


def _read(path: Path | None) -> dict[str, Any]:
    """Read the object in a YAML (or JSON) file. Raises BadParameter naming the file."""
    if path is None:
        return {}
    try:
        found = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{path} is neither YAML nor JSON: {error}") from error
    if not isinstance(found, dict):
        raise typer.BadParameter(f"{path} must hold an object, such as `fleet: {{vehicles: 100, ..}}`")
    return found


def _over(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Merge groups of values; a later value overrides an earlier one, empty groups are left out."""
    made: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            before = made.get(name)
            both = isinstance(value, dict) and isinstance(before, dict)
            made[name] = {**before, **value} if both and before is not None else value
    return {name: value for name, value in made.items() if value != {}}


def _there(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _show(made: Plan) -> None:
    """Print a plan as tables: the figures, the trainings, then the inputs they were calculated from."""
    if made["figures"]:
        show_table("figure", "value", "unit", "how", rows=(
            (one["title"], number(one["value"]), one["unit"] or made["currency"] or "money",
             one["formula"] + _printed(one["printed"]))
            for one in made["figures"]
        ))  # fmt: skip
        out.print()
    if made["trainings"]:
        _show_trainings(made)
        out.print()
    inputs: Iterable[tuple[str, str, str, str]] = (
        (one["name"], number(one["value"]), one["unit"], one["source"]["words"]) for one in made["inputs"]
    )
    show_table("input", "value", "unit", "from", rows=inputs)
    for one in made["missing"]:
        out.print(f"not known: {one['what']}; give {', '.join(one['needs'])}", soft_wrap=True)
    for note in made["notes"]:
        out.print(f"note: {note}", soft_wrap=True)


def _show_trainings(made: Plan) -> None:
    rows = (
        (one["architecture"], one["machine"], one["machines"], f"{number(one['pace'])} {one['pace_unit']}",
         span(one["days"], one["printed"]), _printed(one["printed"]).strip(" ()") or None, one["machines_for_target"],
         None if one["cost"] is None else number(one["cost"]), one["source"]["kind"])
        for one in made["trainings"]
    )  # fmt: skip
    cost = f"cost, {made['currency']}" if made["currency"] else "cost"
    names = ("training", "machine", "number", "pace of one", "time", "beside", "for target", cost, "from")
    columns = list(zip(*rows, strict=True))
    some = [at for at, cells in enumerate(columns) if any(cell is not None for cell in cells)]
    show_table(*(names[at] for at in some), rows=zip(*(columns[at] for at in some), strict=True))


def number(value: float) -> str:
    """Format a number with four significant digits; whole and large numbers in full."""
    return f"{value:,.0f}" if abs(value) >= 1000 or value == int(value) else f"{value:.4g}"


def span(days: float, printed: AsPrinted | None = None) -> str:
    """Format a time in a fitting unit, or in the unit of the published figure beside it."""
    if printed is not None:
        return f"{number(days / IN_DAYS[printed['unit']])} {printed['unit']}"
    if days >= 2 * DAYS_PER_YEAR:
        return f"{number(days / DAYS_PER_YEAR)} years"
    return f"{number(days)} days" if days >= 2 else f"{number(days * HOURS_PER_DAY)} hours"


def _printed(one: AsPrinted | None) -> str:
    return "" if one is None else f" (printed {number(one['value'])} {one['unit']}, {one['off']:+.1%})"
