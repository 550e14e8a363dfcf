"""The JSON that goes along with uploaded files and says how they are read: of models and of encoders."""

from typing import Any

from core.errors import Invalid
from worker_programs.json_text import read_json

MAX_NOTES = 20_000


def read_object(field: str, text: str) -> dict[str, Any]:
    """Parse the text of a form's field as a JSON object; '' is an empty one. Raises Invalid naming the field."""
    try:
        told = read_json((text or "{}").encode())
    except ValueError as fault:
        raise Invalid.field(field, f"can't be read as JSON: {fault}") from fault
    if not isinstance(told, dict):
        raise Invalid.field(field, "must be an object")
    return told


def take_notes(told: dict[str, Any]) -> str:
    """Take the notes out of the metadata. Raises Invalid (`metadata.notes`)."""
    notes = told.pop("notes", None)
    if notes is not None and (not isinstance(notes, str) or len(notes) > MAX_NOTES):
        raise Invalid.field("metadata.notes", f"must be a text of at most {MAX_NOTES} characters")
    return notes or ""
