"""What there is to see, page by page and dialog by dialog, on a platform that has something to show."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from bench.screenshots.site import AWAY, DRAWN, TWINS
from motherlode.client import Motherlode
from motherlode.documents import Dataset, Model

COMPOUND = "split = train and boxes >= 2 and not (class = tree or class = roof)"
ADVANCED, GRACE = "summary:has-text('Advanced')", "select[aria-label^='Unit of the time']"
Press = tuple[str, str]
"""Where a key is pressed (a selector of Playwright), and the key."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A page, what shows that it is there, and what is pressed on it before the picture."""

    name: str
    path: str
    ready: str
    presses: tuple[Press, ...] = ()

    def dialog(self, name: str, button: str) -> "Shot":
        """What opens when this button of it is pressed."""
        return Shot(name, self.path, self.ready, (*self.presses, (f"button:has-text({button!r})", "Enter")))


def owners(client: Motherlode) -> list[Shot]:
    """Everything, as its owner sees it."""
    home, people = Shot("home", "/app/", "#serving"), Shot("people", "/app/people", "tbody tr")
    queues, rows = Shot("queues", "/app/label", "tbody tr, .message"), "tbody tr, .message"
    found = [
        Shot("login", "/app/login", "input"),
        home,
        Shot("palette", home.path, home.ready, (("body", "Control+k"),)),
        Shot("go-to", home.path, home.ready, (("body", "g"),)),
        Shot("keys-everywhere", home.path, home.ready, (("body", "?"),)),
        Shot("loop", "/app/loop", ".rounds tbody tr, .message"),
        Shot("jobs", "/app/jobs", rows),
        Shot("job", "/app/jobs/1", ".facts, .message"),
        Shot("workers", "/app/workers", "[role=meter], .message"),
        Shot("datasets", "/app/datasets", rows),
        Shot("dataset-new", "/app/datasets/new", ".drop-place"),
        queues,
        queues.dialog("queue-new", "New queue"),
        Shot("models", "/app/models", rows),
        Shot("review", "/app/review", ".review-tile img, .message"),
        Shot("team", "/app/team", rows),
        people,
        people.dialog("person-new", "Add a person"),
        Shot("settings", "/app/settings", rows),
        Shot("settings-keys", "/app/settings/keys", "tbody tr"),
        Shot("projects", "/app/settings/projects", rows),
        Shot("project", "/app/settings/projects/default", rows),
        Shot("audit", "/app/settings/audit", rows),
        Shot("notifications", "/app/notifications", "h1"),
        Shot("encoders", "/app/encoders", rows),
        Shot("runs", "/app/runs", rows),
        Shot("sweeps", "/app/sweeps", rows),
        Shot("sweep-new", "/app/sweeps/new", "form"),
        Shot("planner", "/app/planner", "form"),
        Shot("plan", "/app/planner?example=automotive-125-cars&with=target_days:7", "tbody tr"),
        Shot("nowhere", "/app/nowhere", "main, .message"),
    ]
    datasets = [one for one in client.datasets.all() if one["head"] and one["task"] == "classification"]
    found += of_guard(datasets) + of_boxes(client) + of_lifecycle(client)
    with_maps = [one for one in datasets if any(client.datasets.maps(one["name"]))]
    for dataset in (with_maps or datasets)[:1]:
        found += of_dataset(dataset, mapped=bool(with_maps))
    for dataset in [one for one in datasets if one["origin"] is not None][:1]:
        fork = Shot("fork", f"/app/datasets/{dataset['name']}/versions", ".fork-facts")
        found += [fork, fork.dialog("merge", "Merge its changes")]
    for model in [one for one in client.models.all() if one["latest"]][:1]:
        found += of_model(model)
    return found + of_loop(client) + of_desks(client) + of_reviews(client)


def annotators(client: Motherlode) -> list[Shot]:
    """What somebody who only annotates is shown otherwise."""
    dataset = next(one["name"] for one in client.datasets.all() if one["task"] == "classification")
    return [
        Shot("annotator-home", "/app/", "#label-now"),
        Shot("annotator-queues", "/app/label", "tbody tr, .message"),
        Shot("annotator-classes", f"/app/datasets/{dataset}/classes", ".class-row"),
        Shot("annotator-people", "/app/people", "tbody tr, .message"),
    ]


def of_dataset(dataset: Dataset, *, mapped: bool) -> list[Shot]:
    """Its pages and dialogs; those of its map, where it has one."""
    path = f"/app/datasets/{dataset['name']}"
    grid, versions = Shot("grid", path, ".tile img"), Shot("versions", f"{path}/versions", ".version-more code")
    labelled = Shot("labelled", f"{path}?labelled=true", ".tile img")
    diff = Shot("diff", f"{path}/diff?from=1", ".difference img")
    classes = Shot("classes", f"{path}/classes", ".class-row")
    guided = Shot("guided", classes.path, classes.ready, (("summary:has-text('guideline')", "Enter"),))
    legend = (".map-legend .facet >> nth=2", "Enter")
    plain = Shot("map-of-nothing", f"{path}/map", "canvas, .message")
    chosen = Shot("map", plain.path, plain.ready, (legend,))
    selecting = [chosen, chosen.dialog("map-queue", "Send to a queue"), chosen.dialog("map-slice", "Save as a slice")]
    return [
        grid,
        Shot("figures", f"{path}/statistics", ".statistics"),
        Shot("lake", f"{path}/lake", ".message, .panel"),
        grid.dialog("export", "Export"),
        grid.dialog("add-files", "Add files"),
        labelled.dialog("slice-new", "Save as a slice"),
        Shot("drawer", labelled.path, labelled.ready, ((".tile >> nth=0", "Enter"),)),
        plain.dialog("map-new", "New map"),
        *(selecting if mapped else ()),
        versions,
        versions.dialog("tag", "Tag"),
        versions.dialog("alias", "Move an alias here"),
        versions.dialog("fork-new", "Fork"),
        diff,
        Shot("difference", diff.path, diff.ready, ((".difference >> nth=0", "Enter"),)),
        classes,
        guided.dialog("examples", "Pick examples"),
    ]


def of_guard(datasets: Sequence[Dataset]) -> list[Shot]:
    """The pairs of a dataset whose test images were copied into train."""
    twins = [one["name"] for one in datasets if one["name"] == TWINS]
    return [Shot("near-duplicates", f"/app/datasets/{name}/near-duplicates", ".page img, .message") for name in twins]


def of_boxes(client: Motherlode) -> list[Shot]:
    """The figures of a dataset with boxes, and a filter over them with what may come next."""
    found = []
    for dataset in [one for one in client.datasets.all() if one["name"] == DRAWN]:
        path = f"/app/datasets/{dataset['name']}"
        typed = (("input[aria-label=Filter]", "End"), ("input[aria-label=Filter]", "Space"))
        found += [
            Shot("statistics", f"{path}/statistics", ".statistics"),
            Shot("filter", f"{path}?filter={quote(COMPOUND)}", ".tile img, .message", typed),
        ]
    return found


def of_lifecycle(client: Motherlode) -> list[Shot]:
    """The menu of a thing, and the dialogs behind it."""
    found: list[Shot] = []
    names = [(AWAY, client.datasets.archived()), (DRAWN, client.datasets.all())]
    for name, things in names:
        if name not in [one["name"] for one in things]:
            continue
        menu = (f"button[aria-label='More for the dataset {name}']", "Enter")
        first, last = ("[role=menuitem] >> nth=0", "Enter"), ("[role=menuitem] >> nth=2", "Enter")
        page = Shot(f"menu-{name}", f"/app/datasets/{name}", f"[aria-label='More for the dataset {name}']", (menu,))
        dialog = ("delete", last) if name == AWAY else ("rename", first)
        found += [page, Shot(dialog[0], page.path, page.ready, (menu, dialog[1]))]
    return found


def of_model(model: Model) -> list[Shot]:
    """Its pages and dialogs, and those of its runs."""
    path = f"/app/models/{model['name']}"
    versions, version = Shot("model", path, ".figure-interval"), Shot("version", f"{path}/{model['latest']}", ".matrix")
    run = Shot("run", "/app/runs/1", ".run-chart canvas")
    return [
        versions,
        versions.dialog("roll-back", "Roll back"),
        version,
        version.dialog("promote", "Promote"),
        Shot("versions-compared", f"{path}/compare?a=1&b={model['latest']}", ".matrix, .message"),
        run,
        run.dialog("clone", "Clone"),
        Shot("runs-compared", "/app/runs/compare?ids=1,2", ".run-chart canvas, .message"),
    ]


def of_loop(client: Motherlode) -> list[Shot]:
    """Mining, pipelines and back-tests, as far as there are any."""
    rows = "tbody tr, .message"
    found = [
        Shot("mining", "/app/mining", rows),
        Shot("mining-new", "/app/mining/new", "form"),
        Shot("pipelines", "/app/pipelines", rows),
        Shot("pipeline-new", "/app/pipelines/new", "form", ((ADVANCED, "Enter"), (GRACE, "End"))),
        Shot("backtests", "/app/backtests", rows),
        Shot("backtest-new", "/app/backtests/new", "form"),
    ]
    jobs = [one for one in client.mining.all() if one["strategy"]["name"] != "random"]
    ended = [one for one in jobs if one["job"]["state"] == "succeeded"]
    for job in ended[:1]:
        mined = Shot("mining-job", f"/app/mining/{job['id']}", ".pick img")
        found += [mined, Shot("why", f"{mined.path}?pick=1", ".pick-stage img")]
    for job in [one for one in ended if one["queue"] is None][:1]:
        found.append(Shot("picks", f"/app/mining/{job['id']}", ".pick img").dialog("picks-queue", "Send to a queue"))
    if pipeline := next(client.pipelines.all(), None):
        found += [
            Shot("pipeline", f"/app/pipelines/{pipeline['id']}", ".rounds tbody tr"),
            Shot("pipeline-edit", f"/app/pipelines/{pipeline['id']}/edit", "form"),
        ]
    if backtest := next((one for one in client.backtests.all() if one["best"]), None):
        found.append(Shot("backtest", f"/app/backtests/{backtest['id']}", ".curve canvas"))
    return found


def of_desks(client: Motherlode) -> list[Shot]:
    """Where people label."""
    found = []
    first: dict[str, int] = {}
    for queue in client.queues.all():
        if queue["state"] == "open":
            first.setdefault(queue["kind"], queue["id"])
    for kind, press in (("boxes", "r"), ("polygons", "p")):
        if kind in first:
            found.append(Shot(kind, f"/app/label/{first[kind]}", ".stage img", (("[role=application]", press),)))
    if "grid" in first:
        grid = Shot("label-grid", f"/app/label/{first['grid']}", ".label-tile img")
        found += [grid, Shot("tile", grid.path, grid.ready, (("body", "z"),))]
    if "classify" in first:
        desk = Shot("label", f"/app/label/{first['classify']}", ".stage img")
        keys = (("keys", "?"), ("skip", "Shift+S"), ("flag", "f"))
        found += [desk, *(Shot(name, desk.path, desk.ready, (("body", key),)) for name, key in keys)]
    return found


def of_reviews(client: Motherlode) -> list[Shot]:
    """Queues that several people answered: their disagreements and their figures."""
    found = []
    for queue in [one for one in client.queues.all() if one["answers_per_task"] > 1][:1]:
        review = Shot("review-queue", f"/app/review/{queue['id']}", ".review-stage img, .message")
        found += [
            review,
            review.dialog("reject", "Reject"),
            Shot("team-queue", f"/app/team?queue={queue['id']}", ".agreement, .message"),
        ]
    return found
