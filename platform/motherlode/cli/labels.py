"""`lode label`: the quality of a queue's labels, and decisions where people disagree."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from motherlode.cli.terminal import (
    OfProject,
    answered,
    client,
    compact,
    err,
    group,
    json_object,
    out,
    share,
    show_table,
)
from worker_programs.wording import plural

commands = group("How far people agree, what is to be reviewed, and what people's work is like.")
SHOWN_OBJECTS = 3


@commands.command()
def agreement(queue: str) -> None:
    """Show how far people agree with each other, with the consensus of their answers, and with the model."""
    told = client().quality.agreement(queue)
    if answered(told):
        return
    names = {person["id"]: person["username"] for person in told["people"]}
    figure = "kappa" if told["kind"] == "class" else "mean IoU"
    rows = ((names[pair["a"]], names[pair["b"]], pair["both"], share(pair["agree"] / pair["both"]),
             pair["kappa"] if told["kind"] == "class" else pair["mean_iou"]) for pair in told["pairs"])  # fmt: skip
    show_table("", "", "both", "agree", figure, rows=rows)
    skills = {person["id"]: person["accuracy"] for person in told["consensus"]["people"]}
    people = ((person["username"], person["answers"], share(skills.get(person["id"]))) for person in told["people"])
    show_table("", "answers", f"right by {told['consensus']['method']}", rows=people)
    if told["fleiss"] is not None:
        out.print(f"Fleiss' kappa {told['fleiss']}")
    blind = told["blind"]
    if blind["difference"] is not None:
        low, high = blind["interval"]
        out.print(f"shown suggestions sway people by {blind['difference']:+.1%} ({low:+.1%} to {high:+.1%})")


@commands.command()
def reviews(
    queue: Annotated[str | None, typer.Argument(help="a queue; leave it out for all queues")] = None,
    state: Annotated[str, typer.Option(help="open, done or mine")] = "open",
    project: OfProject = None,
) -> None:
    """List the tasks whose label a reviewer decides."""
    found = client().quality.reviews(queue=queue, state=state, project=project)
    if answered(found):
        return
    rows = (
        (one["id"], one["queue"], one["sample"]["key"], one["reason"],
         ", ".join(f"{said['author']['username']}: {_short(said['value'])}" for said in one["answers"]),
         _short(one["decision"] or (one["consensus"]["value"] if one["consensus"] else None)))
        for one in found
    )  # fmt: skip
    show_table(
        "review", "queue", "sample", "reason", "answers", "decision" if state != "open" else "consensus", rows=rows
    )


@commands.command()
def decide(
    review: int,
    value: Annotated[str, typer.Argument(help='a class, or a label as JSON such as {"boxes": []}')],
    reason: Annotated[str, typer.Option(help="reason, for whoever looks later")] = "",
) -> None:
    """Say which label the task of a review gets."""
    label = json_object(value, "the label") if value.startswith("{") else {"class": value}
    done = client().quality.decide(review, label, reason=reason)
    if not answered(done):
        out.print(f"{done['sample']['key']} is {_short(done['decision'])}")


@commands.command()
def gold(queue: str, samples: Annotated[list[str], typer.Argument(help="keys of labelled samples")]) -> None:
    """Mix samples whose label is known into a queue's tasks, up to its gold share."""
    mixed = client().quality.mix_in(queue, samples)
    if answered(mixed):
        return
    out.print(f"{mixed['added']} added; gold: {mixed['gold']} of {plural(mixed['tasks'], 'task')}")
    for item in mixed["rejected"]:
        err.print(f"  rejected {item['key']}: {item['code']} {item['detail']}")


@commands.command()
def people(
    queue: Annotated[str | None, typer.Argument(help="a queue; leave it out for all queues")] = None,
    days: Annotated[int | None, typer.Option(help="days to look back")] = None,
    project: OfProject = None,
) -> None:
    """Show how much, how fast and how accurately people label."""
    found = client().quality.people(queue=queue, days=days, project=project)
    if answered(found):
        return
    rows = (
        (one["user"]["username"], one["answers"], one["skipped"], one["median_seconds"], one["labels_per_hour"],
         share(one["agreement"]), f"{one['gold']['correct']} of {one['gold']['answers']}", _sure(one))
        for one in found
    )  # fmt: skip
    columns = ("", "answers", "skipped", "seconds", "per hour", "as others", "gold", "right")
    show_table(*columns, rows=rows)


def _sure(one: Mapping[str, Any]) -> str | None:
    if one["accuracy"] is None:
        return None
    low, high = one["interval"]
    return f"{one['accuracy']:.1%} ({low:.1%} to {high:.1%})"


def _short(label: Mapping[str, Any] | None) -> str | None:
    """Describe a label in a few words."""
    if label is None:
        return None
    if "class" in label:
        return str(label["class"])
    if "classes" in label:
        return " + ".join(label["classes"]) or "none"
    shapes = [_object(one) for one in (*label.get("boxes", ()), *label.get("polygons", ()))]
    ignored = f"{len(label['ignore'])} to ignore" if label.get("ignore") else ""
    if len(shapes) > SHOWN_OBJECTS:
        shapes = [f"{len(shapes)} shapes"]
    return ", ".join(filter(None, [*shapes, ignored])) or compact({"boxes": []})


def _object(one: Mapping[str, Any]) -> str:
    """Describe an object by its class and extra fields: `car (id 17, track 3, occluded true)`."""
    carried = [f"{name} {one[name]}" for name in ("id", "track") if name in one]
    carried += [f"{name} {json.dumps(value) if not isinstance(value, str) else value}"
                for name, value in one.get("attributes", {}).items()]  # fmt: skip
    return f"{one['class']} ({', '.join(carried)})" if carried else str(one["class"])
