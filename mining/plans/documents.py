"""Plans and examples as the API shows them."""

from dataclasses import asdict
from typing import Any

from planning import EXAMPLES, Plan


def plan_document(made: Plan) -> dict[str, Any]:
    """A plan with all its inputs."""
    return asdict(made)


def example_documents() -> list[dict[str, Any]]:
    """All named examples, each with its question, which can be changed and sent."""
    return [
        {"name": one.name, "title": one.title, "source": one.source, "question": one.question, "notes": list(one.notes)}
        for one in EXAMPLES.values()
    ]
