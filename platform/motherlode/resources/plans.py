"""`/plans`: resources that a fleet's data need, as a calculation that stores nothing."""

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
        """Calculate the plan for a question such as `{"example": "automotive-100-cars", "target_days": 14}`."""
        document: Plan = self._transport.post("/plans", dict(question)).json()
        return document

    def examples(self) -> list[PlanExample]:
        """List published examples by name, each with a question that you can send to `make`."""
        found: list[PlanExample] = self._transport.get("/plans/examples")["results"]
        return found
