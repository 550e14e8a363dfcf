"""`/plans`: what a fleet's data ask for, as a calculation that keeps nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import Plan, PlanExample


class Plans:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def make(self, question: Mapping[str, Any]) -> Plan:
        """The plan for a question such as `{"example": "automotive-100-cars", "target_days": 14}`."""
        document: Plan = self._transport.post("/plans", dict(question)).json()
        return document

    def examples(self) -> list[PlanExample]:
        """Published sums by name, each with a question that can be sent."""
        found: list[PlanExample] = self._transport.get("/plans/examples")["results"]
        return found
