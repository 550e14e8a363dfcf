"""Calculate what a fleet's data need: storage, samples, training and scoring time, annotators, network and money. Only
arithmetic: no Django, no database, so it works in a notebook.

>>> from planning import plan, read
>>> made = plan(read({"example": "automotive-100-cars"}))
>>> round(made.figure("kept").value)
104
"""

from planning.examples import EXAMPLES, Example
from planning.plan import Figure, Input, Missing, Plan, TrainingTime, plan
from planning.quantities import GROUPS, SETUP, PlanError, Quantity
from planning.question import Question, read
from planning.sources import Measured, MeasuredPace, Source

__all__ = [
    "EXAMPLES",
    "GROUPS",
    "SETUP",
    "Example",
    "Figure",
    "Input",
    "Measured",
    "MeasuredPace",
    "Missing",
    "Plan",
    "PlanError",
    "Quantity",
    "Question",
    "Source",
    "TrainingTime",
    "plan",
    "read",
]
