"""What a commit passed over: every kind of it with its number, so that an empty list says that all was taken."""

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.changes.sets import Rejection
from formats import PASSED_OVER, PassedOver
from worker_programs.filekinds import HIDDEN_FILE

REFUSED, UNHELD = "item_refused", "object_unheld"
CODES: Mapping[str, str] = {
    REFUSED: "files, and parts of them, that were refused: `rejected` lists them (hidden files don't count)",
    UNHELD: "objects that a label can't hold: `incomplete` counts them by reason",
    **PASSED_OVER,
}


def all_passed_over(rejected: Sequence[Rejection], report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row `{code, what, count, first}` for each kind of thing that was not taken: refused items, objects
    that a label can't hold, and what the `report` on the annotations counts."""
    refused = [item for item in rejected if item.code != HIDDEN_FILE]
    rows: list[PassedOver] = []
    if refused:
        count = sum(item.count for item in refused)
        rows.append(PassedOver(REFUSED, "files or parts of them were refused", count, refused[0].key))
    if incomplete := report["incomplete"]:
        count = sum(row["objects"] for row in incomplete)
        rows.append(PassedOver(UNHELD, "objects can't be held by a label", count, incomplete[0]["examples"][0]))
    return [*(row.document() for row in rows), *report["passed_over"]]
