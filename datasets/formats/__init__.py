"""Annotation formats: one file each, found through the registry. Imports no Django.

>>> from formats import Batch, read
>>> read("image_folder", Batch({"cat/1.png": (28, 28)})).samples["cat/1.png"].label
{'class': 'cat'}
"""

from formats.batch import Batch, Fault, Reading, fault_of
from formats.errors import FormatError
from formats.incomplete import REASONS
from formats.notes import PASSED_OVER, Notes, PassedOver
from formats.registry import FormatFacts, Recognised, format_facts, format_names, read, recognise, write
from formats.samples import FORMS, MANY_CLASSES, OBJECTS, ONE_CLASS, Annotated, Entry, Item, Size
from formats.splits import NamedSplit, SplitNames, SplitSource

__all__ = ["FORMS", "MANY_CLASSES", "OBJECTS", "ONE_CLASS", "PASSED_OVER", "REASONS", "Annotated", "Batch", "Entry",
           "Fault", "FormatError", "FormatFacts", "Item", "NamedSplit", "Notes", "PassedOver", "Reading", "Recognised",
           "Size", "SplitNames", "SplitSource", "fault_of", "format_facts", "format_names", "read", "recognise",
           "write"]  # fmt: skip
