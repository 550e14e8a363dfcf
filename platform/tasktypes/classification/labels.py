"""A label that is one class: {"class": "cat"}."""

from collections.abc import Sequence
from typing import Any

from formats import ONE_CLASS
from tasktypes.categories import SUGGESTION, SUGGESTION_SCHEMA, suggested_class
from tasktypes.label_parts import Label, Labels, Size
from tasktypes.refusals import check_known, malformed, refuse_unknown
from tasktypes.schemas import TEXT, record


class ClassLabels(Labels):
    """One class an image."""

    form = ONE_CLASS
    editors = ("classify", "grid")
    names_several = False
    example = '{"class": "cat"}'
    schemas = {
        "ClassValue": record({"class": TEXT}),
        SUGGESTION: SUGGESTION_SCHEMA,
    }
    value_schema = "ClassValue"
    suggestion_schema = SUGGESTION

    def normal(self, value: Label, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        del size
        if "classes" in value:
            raise malformed(f"this dataset takes one class for each sample: {self.example}")
        label = {"class": check_known(value.get("class"), classes)}
        refuse_unknown(value, ["class"], "a label")
        return label

    def class_counts(self, label: Label) -> dict[str, int]:
        return {label["class"]: 1}

    def suggested(self, suggestion: Label) -> Label | None:
        name = suggested_class(suggestion)
        return None if name is None else {"class": name}

    def cluster(self, suggestion: Label) -> str:
        return suggested_class(suggestion) or ""
