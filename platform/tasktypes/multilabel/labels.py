"""A label that is any number of classes: {"classes": ["cat", "dog"]}."""

from collections.abc import Sequence
from typing import Any

from formats import MANY_CLASSES
from tasktypes.label_parts import Label, Labels, Size
from tasktypes.refusals import check_known, is_list, malformed, refuse_unknown
from tasktypes.schemas import NUMBER, SHARES, TEXT, listed, record

SUGGESTION = "ClassesSuggestion"


class ClassesLabels(Labels):
    """Any number of classes an image, or none, in the order of the dataset's classes and each once."""

    form = MANY_CLASSES
    editors = ("classify", "grid")
    example = '{"classes": ["cat", "dog"]}'
    schemas = {
        "ClassesValue": record({"classes": listed(TEXT)})
        | {"description": "In the schema's order; none of them is an answer too."},
        SUGGESTION: record({"classes": listed(TEXT), "probability": NUMBER, "probabilities": SHARES, "model": TEXT}),
    }
    value_schema = "ClassesValue"
    suggestion_schema = SUGGESTION

    def normal(self, value: Label, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        """Also accept a single class in the form of classification, `{"class": ..}`."""
        del size
        named = [value["class"]] if "class" in value and "classes" not in value else value.get("classes")
        if not is_list(named):
            raise malformed(f'must be {self.example}, or {{"classes": []}} where it is none of them')
        told = {check_known(name, classes) for name in named}
        refuse_unknown(value, ["class", "classes"], "a label")
        return {"classes": [name for name in classes if name in told]}

    def class_counts(self, label: Label) -> dict[str, int]:
        return dict.fromkeys(label["classes"], 1)

    def suggested(self, suggestion: Label) -> Label | None:
        named = suggestion.get("classes")
        return {"classes": named} if is_list(named) else None

    def with_classes(self, label: Label | None, *, add: Sequence[str], remove: Sequence[str]) -> Label | None:
        if label is None and not add:
            return None
        named = [*(label["classes"] if label is not None else ()), *add]
        return {"classes": [name for name in dict.fromkeys(named) if name not in remove]}

    def cluster(self, suggestion: Label) -> str:
        """Return all suggested classes: images with the same classes are grouped together."""
        return " + ".join(suggestion.get("classes") or ())
