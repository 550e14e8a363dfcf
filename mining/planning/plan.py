"""From a question to figures, each with its formula and its source."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from planning.examples import DAYS_PER_YEAR, EXAMPLES, Printed
from planning.quantities import GROUPS, SETUP, TARGET_DAYS, PlanError
from planning.question import FLEET, Question, Setup
from planning.sources import DOCUMENTED, Measured, Source

TB = 1e12
SECONDS_PER_DAY = 86_400
HOURS_PER_DAY = 24
MOST_NEEDED = 10**12
"""Most machines, workers or people side by side: more is a mistake, and soon a number that JSON readers can't hold."""
IN_DAYS: Mapping[str, float] = {"years": DAYS_PER_YEAR, "days": 1, "hours": 1 / HOURS_PER_DAY}
"""Units of time that examples print, in days."""


@dataclass(frozen=True, slots=True)
class Input:
    """A number that the plan is calculated from."""

    name: str
    value: float
    unit: str
    source: Source


@dataclass(frozen=True, slots=True)
class AsPrinted:
    """The figure that a published table prints here; `off` is the relative difference of the computed one."""

    value: float
    unit: str
    off: float


@dataclass(frozen=True, slots=True)
class Figure:
    """A computed figure: `group` and `name` for programs, `title`, `unit` and `formula` for people."""

    group: str
    name: str
    title: str
    value: float
    unit: str
    formula: str
    printed: AsPrinted | None = None


@dataclass(frozen=True, slots=True)
class TrainingTime:
    """The training time of one setup: days with its machines, machines needed to meet the target (None: no target),
    hours of all machines together, bytes a second they read (None: not known), and their cost (None: no price)."""

    architecture: str
    machine: str
    machines: int
    pace: float
    pace_unit: str
    epochs: float | None
    days: float
    machines_for_target: int | None
    machine_hours: float
    bytes_per_second: float | None
    cost: float | None
    formula: str
    source: Source
    printed: AsPrinted | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that can't be computed, and the fields that it needs."""

    what: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The answer to a question."""

    inputs: tuple[Input, ...]
    figures: tuple[Figure, ...]
    trainings: tuple[TrainingTime, ...]
    missing: tuple[Missing, ...]
    notes: tuple[str, ...]
    currency: str = ""
    example: str | None = None

    def figure(self, name: str) -> Figure:
        """Return a figure by name. Raises KeyError."""
        for figure in self.figures:
            if figure.name == name:
                return figure
        raise KeyError(name)


def plan(question: Question, measured: Measured = Measured(), *, epochs: float | None = None) -> Plan:  # noqa: B008 - frozen
    """Return the plan for a question. A value that the question leaves out is `measured` where it can be, else a
    documented value, else it is named in `missing`. `epochs` are those of a training without its own (a recipe's
    default). Scaling is linear: twice the machines take half the time. Raises PlanError where no number of machines or
    people would suffice."""
    sheet = _Sheet(question, measured)
    _data(sheet)
    _training(sheet, epochs)
    _scoring(sheet)
    _labeling(sheet)
    _network(sheet)
    _money(sheet)
    example = EXAMPLES[question.example] if question.example else None
    return Plan(
        tuple(sheet.used.values()), tuple(sheet.figures), tuple(sheet.trainings), tuple(sheet.missing),
        example.notes if example is not None and question.as_printed else (), question.currency, question.example,
    )  # fmt: skip


@dataclass(slots=True)
class _Sheet:
    """A plan under construction."""

    question: Question
    measured: Measured
    used: dict[str, Input] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    trainings: list[TrainingTime] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def get(self, name: str) -> float | None:
        """Return an input's value and record that it was used; None where it is not known."""
        if name in self.used:
            return self.used[name].value
        if name in self.question.values:
            value, source = self.question.values[name]
        elif name in self.measured.quantities:
            pace = self.measured.quantities[name]
            value, source = pace.value, pace.source
        elif name in DOCUMENTED:
            value, words = DOCUMENTED[name]
            source = Source("documented", words)
        else:
            return None
        self.used[name] = Input(name, value, _unit(name), source)
        return value

    def has(self, name: str) -> bool:
        """Whether the question gives this value."""
        return name in self.question.values

    def value(self, name: str) -> float | None:
        """Return the value of a computed figure; None if it was not computed."""
        return next((figure.value for figure in self.figures if figure.name == name), None)

    def add(self, group: str, name: str, title: str, value: float, unit: str, formula: str) -> float:
        """Add a figure and return its value."""
        self.figures.append(Figure(group, name, title, value, unit, formula, self._printed(name, value)))
        return value

    def lack(self, what: str, *needs: str) -> None:
        """Record a figure that can't be computed."""
        self.missing.append(Missing(what, needs))

    def _printed(self, name: str, value: float) -> AsPrinted | None:
        if name != "kept" or not self.question.as_printed or self.question.example is None:
            return None
        kept = EXAMPLES[self.question.example].kept
        return None if kept is None else AsPrinted(kept.value, kept.unit, value / kept.value - 1)


def number(value: float) -> str:
    """Format a number for formulas, with six significant digits."""
    return f"{value:,.6g}" if abs(value) < 1e6 else f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.4g}"


def _unit(name: str) -> str:
    group, _, rest = name.partition(".")
    return TARGET_DAYS.unit if not rest else GROUPS[group][rest].unit


def _data(sheet: _Sheet) -> None:
    """Add what is recorded, kept and stored, and the number of images."""
    _kept(sheet)
    _images(sheet)
    kept, images, copies = sheet.value("kept"), sheet.value("images"), sheet.get("data.copies") or 1
    proxy, size = sheet.get("data.proxy_bytes") if images is not None else None, _image_bytes(sheet)
    if (
        images is not None and proxy is not None and (size is None or proxy < size)
    ):  # smaller ones are scored as they are
        words = f"{number(images)} images × {number(proxy)} B"
        sheet.add("storage", "proxies", "Small copies for scoring", images * proxy / TB, "TB", words)
    if kept is not None:
        proxies = sheet.value("proxies") or 0.0
        words = f"{number(kept)} TB" if not proxies else f"({number(kept)} TB + {number(proxies)} TB of small copies)"
        words += "" if copies == 1 else f" × {number(copies)} copies"
        sheet.add("storage", "stored", "Stored in all", (kept + proxies) * copies, "TB", words)


def _kept(sheet: _Sheet) -> None:
    if sheet.has("fleet.days"):
        vehicles, pace, hours, days, share = (sheet.get(name) or 0.0 for name in FLEET)
        words = f"{number(vehicles)} vehicles × {number(pace)} TB/h × {number(hours)} h × {number(days)} d"
        raw = sheet.add("storage", "recorded", "Recorded", vehicles * pace * hours * days, "TB", words)
        sheet.add("storage", "kept", "Kept", raw * share, "TB", f"{number(raw)} TB × {number(share)}")
    elif sheet.has("data.terabytes"):
        kept = sheet.get("data.terabytes") or 0.0
        sheet.add("storage", "kept", "Kept", kept, "TB", "as given")
    elif sheet.has("data.images") and (size := sheet.get("data.image_bytes")) is not None:
        images = sheet.get("data.images") or 0.0
        sheet.add("storage", "kept", "Kept", images * size / TB, "TB", f"{number(images)} images × {number(size)} B")
    else:
        needs = "data.image_bytes" if sheet.has("data.images") else "fleet"
        sheet.lack("How much is kept", needs)


def _images(sheet: _Sheet) -> None:
    kept = sheet.value("kept")
    if sheet.has("data.images"):
        sheet.add("samples", "images", "Images", sheet.get("data.images") or 0.0, "images", "as given")
    elif kept is not None and sheet.has("data.image_bytes"):
        size = sheet.get("data.image_bytes") or 1.0
        words = f"{number(kept)} TB ÷ {number(size)} B"
        sheet.add("samples", "images", "Images", kept * TB / size, "images", words)
    else:
        here = sheet.measured.quantities.get("data.image_bytes")
        known = "" if here is None or kept is None else f" (those of this platform have {number(here.value)} B)"
        what = f"The number of images, and what follows from it: small copies, scoring, labels{known}"
        sheet.lack(what, "data.image_bytes")


def _image_bytes(sheet: _Sheet) -> float | None:
    """Bytes of one image, from the kept data and the number of images; None if one is not known."""
    kept, images = sheet.value("kept"), sheet.value("images")
    return kept * TB / images if kept is not None and images else None


def _training(sheet: _Sheet, epochs: float | None) -> None:
    """Add the training time of each setup."""
    target = sheet.get("target_days")
    setups = sheet.question.setups or tuple(
        Setup(name, "this installation", pace.value, None, None, 1, pace.source)
        for name, pace in sheet.measured.trainings.items()
    )
    if not setups:
        sheet.lack("Training time: no run has finished here yet", "training")
    printed: Sequence[Printed] = ()
    if sheet.question.as_printed and sheet.question.example:
        printed = EXAMPLES[sheet.question.example].trainings
    for at, setup in enumerate(setups):
        made = _training_time(sheet, setup, target, epochs)
        if isinstance(made, Missing):
            sheet.missing.append(made)
        else:
            sheet.trainings.append(_beside(made, printed[at] if at < len(printed) else None))


def _training_time(sheet: _Sheet, setup: Setup, target: float | None, epochs: float | None) -> TrainingTime | Missing:
    kept, images = sheet.value("kept"), sheet.value("images")
    seen = setup.epochs or epochs
    name = f"Training time of {setup.architecture or 'a setup'}"
    reads = None
    if setup.terabytes_per_day is not None:
        if kept is None:
            return Missing(name, ("fleet", "data.terabytes"))
        pace, unit = setup.terabytes_per_day, SETUP["terabytes_per_day"].unit
        alone, words = kept / pace, f"{number(kept)} TB ÷ {number(pace)} TB/d"
        if setup.epochs is not None:
            reads = pace * TB * setup.epochs / SECONDS_PER_DAY * setup.machines
    else:
        if images is None or seen is None:
            return Missing(name, ("data.images",) if images is None else ("training.epochs",))
        pace, unit = setup.images_per_second or 0.0, SETUP["images_per_second"].unit
        alone = images * seen / pace / SECONDS_PER_DAY
        words = f"{number(images)} images × {number(seen)} epochs ÷ {number(pace)} images/s"
        size = _image_bytes(sheet)
        reads = None if size is None else size * pace * setup.machines
    hours, price = alone * HOURS_PER_DAY, sheet.get("prices.machine_hour")
    return TrainingTime(
        architecture=setup.architecture, machine=setup.machine, machines=setup.machines, pace=pace, pace_unit=unit,
        epochs=seen if setup.terabytes_per_day is None else setup.epochs, days=alone / setup.machines,
        machines_for_target=None if target is None else _whole(alone / target, "target_days"), machine_hours=hours,
        bytes_per_second=reads, cost=None if price is None else hours * price,
        formula=words + _divided(setup.machines, "machines"), source=setup.source,
    )  # fmt: skip


def _beside(made: TrainingTime, printed: Printed | None) -> TrainingTime:
    if printed is None:
        return made
    off = made.days / (printed.value * IN_DAYS[printed.unit]) - 1
    return replace(made, printed=AsPrinted(printed.value, printed.unit, off))


def _divided(by: float, what: str) -> str:
    return "" if by == 1 else f" ÷ {number(by)} {what}"


def _whole(amount: float, field: str) -> int:
    """Round up to a whole number that suffices for the days of a field, ignoring floating-point error in the ninth
    digit. Raises PlanError for a number that is more than anybody has."""
    if amount > MOST_NEEDED:
        words = f"takes {amount:.1e} side by side, and {MOST_NEEDED:.0e} are the most: give more days"
        raise PlanError({field: [words]})
    return max(1, math.ceil(amount * (1 - 1e-9)))


def _scoring(sheet: _Sheet) -> None:
    """Add the time to score the kept images, and the workers needed to meet the target."""
    images = sheet.value("images")
    if images is None:
        return
    pace = sheet.get("scoring.images_per_second")
    if pace is None:
        sheet.lack("Scoring time: no mining job has scored anything here yet", "scoring.images_per_second")
        return
    workers, target = sheet.get("scoring.workers") or 1, sheet.get("target_days")
    alone = images / pace / SECONDS_PER_DAY
    words = f"{number(images)} images ÷ {number(pace)} images/s{_divided(workers, 'workers')}"
    sheet.add("scoring", "scoring_days", "Scoring time", alone / workers, "days", words)
    if target is not None:
        words = f"{number(alone)} worker-days ÷ {number(target)} d, rounded up"
        needed = _whole(alone / target, "target_days")
        sheet.add("scoring", "scoring_workers", "Workers for the target", needed, "workers", words)


def _labeling(sheet: _Sheet) -> None:
    """Add the hours of annotators, and their number."""
    images, labels, words = sheet.value("images"), sheet.get("labeling.labels"), "as given"
    if labels is None and images is not None and (share := sheet.get("labeling.share")) is not None:
        labels, words = images * share, f"{number(images)} images × {number(share)}"
    if labels is None:
        if sheet.has("labeling.share"):
            sheet.lack("The number of labels", "data.image_bytes")
        return
    sheet.add("labeling", "labels", "Labels", labels, "labels", words)
    pace, asked = sheet.get("labeling.labels_per_hour"), sheet.get("labeling.answers_per_label") or 1
    if pace is None:
        sheet.lack("Hours of annotators: nobody has labelled here yet", "labeling.labels_per_hour")
        return
    words = f"{number(labels)} labels{'' if asked == 1 else f' × {number(asked)} answers'} ÷ {number(pace)} an hour"
    hours = sheet.add("labeling", "annotator_hours", "Annotator-hours", labels * asked / pace, "h", words)
    per_day, days = sheet.get("labeling.hours_per_day"), sheet.get("labeling.days") or sheet.get("target_days")
    if per_day is None or days is None:
        lacking = [
            name for name, value in (("labeling.hours_per_day", per_day), ("labeling.days", days)) if value is None
        ]
        sheet.lack("The number of annotators", *lacking)
        return
    words = f"{number(hours)} h ÷ {number(per_day)} h a day ÷ {number(days)} d, rounded up"
    field = "labeling.days" if sheet.has("labeling.days") else "target_days"
    sheet.add("labeling", "annotators", "Annotators", _whole(hours / per_day / days, field), "people", words)


def _network(sheet: _Sheet) -> None:
    """Add the network line that the kept data come in by."""
    kept = sheet.value("kept")
    if kept is None:
        return
    days, line = sheet.get("network.days") or sheet.get("fleet.days"), sheet.get("network.gigabits_per_second")
    bits = kept * TB * 8
    if days is not None:
        words = f"{number(kept)} TB over {number(days)} d, day and night"
        sheet.add(
            "network", "intake_rate", "Line for the kept data", bits / (days * SECONDS_PER_DAY) / 1e9, "Gbit/s", words
        )
    if line is not None:
        words = f"{number(kept)} TB × 8 ÷ {number(line)} Gbit/s"
        sheet.add(
            "network",
            "intake_days",
            "Time to bring the kept data in",
            bits / (line * 1e9) / SECONDS_PER_DAY,
            "days",
            words,
        )


def _money(sheet: _Sheet) -> None:
    """Add the costs of everything with a price, and name the prices that are missing; trainings keep their own costs,
    being alternatives to each other. Labels are paid by the answer or by the hour: one of the two prices suffices."""
    unit = sheet.question.currency
    sums = [
        ("storage_cost", "Storage", sheet.value("stored"), "TB", ("prices.terabyte_month", "prices.months")),
        ("scoring_cost", "Scoring", _worker_hours(sheet), "h", ("prices.worker_hour",)),
        ("labels_cost", "Labels", _answers(sheet), "answers", ("prices.label",)),
        ("annotators_cost", "Annotators", sheet.value("annotator_hours"), "h", ("prices.annotator_hour",)),
    ]
    total = []
    paid = {"labels_cost": "prices.annotator_hour", "annotators_cost": "prices.label"}
    for name, title, amount, amount_unit, prices in sums:
        told = [sheet.get(price) for price in prices]
        factors = [price for price in told if price is not None]
        if amount is None:
            continue
        if len(factors) < len(told):
            if not sheet.has(paid.get(name, "")):
                lacking = (price for price, value in zip(prices, told, strict=True) if value is None)
                sheet.lack(f"Cost of {title.lower()}", *lacking)
            continue
        words = " × ".join([f"{number(amount)} {amount_unit}", *map(number, factors)])
        total.append(sheet.add("money", name, title, amount * math.prod(factors), unit, words))
    if sheet.trainings and sheet.get("prices.machine_hour") is None:
        sheet.lack("Cost of trainings", "prices.machine_hour")
    if len(total) > 1:
        words = " + ".join(map(number, total))
        sheet.add("money", "total_cost", "All of these; trainings beside", math.fsum(total), unit, words)


def _worker_hours(sheet: _Sheet) -> float | None:
    days = sheet.value("scoring_days")
    return None if days is None else days * HOURS_PER_DAY * (sheet.get("scoring.workers") or 1)


def _answers(sheet: _Sheet) -> float | None:
    labels = sheet.value("labels")
    return None if labels is None else labels * (sheet.get("labeling.answers_per_label") or 1)
