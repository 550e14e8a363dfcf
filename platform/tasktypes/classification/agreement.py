"""How people agree on one class an image."""

from collections.abc import Sequence

from agreement.consensus import majority, ties
from agreement.opinions import Codes, Opinions
from agreement.shapes import Matches
from tasktypes.categories import compare
from tasktypes.label_parts import Agreement, Fused, Label


class ClassAgreement(Agreement):
    """Labels agree that name the same class."""

    exclusive = True

    def category(self, label: Label) -> str:
        return str(label["class"])

    def compare(self, labels: Sequence[Label], first: Codes, second: Codes) -> Matches:
        return compare(map(self.category, labels), first, second)

    def fuse(self, tasks: Sequence[Sequence[Label]]) -> list[Fused]:
        """Return the class that most people name, among equals the one given first; the confidence is its share."""
        opinions = Opinions.of((task, person, self.category(label)) for task, labels in enumerate(tasks)
                               for person, label in enumerate(labels))  # fmt: skip
        found = majority(opinions)
        columns = (found.values, found.confidence, ties(opinions, found))
        return [
            Fused({"class": opinions.value_names[value]}, share, tied)
            for value, share, tied in zip(*(column.tolist() for column in columns), strict=True)
        ]
