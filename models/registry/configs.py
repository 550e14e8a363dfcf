"""The config of a run: `params` of its architecture, changes to its `recipe`, choices for its `export`."""

from collections.abc import Mapping
from typing import Any

from core.errors import Invalid


def merged_config(config: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return `config` with single fields of its parts changed; None removes a field, so that its default applies."""
    merged = dict(config)
    for part, fields in changes.items():
        if not isinstance(fields, Mapping):
            raise Invalid.field(f"config.{part}", "must be an object of fields to change")
        kept = dict(config.get(part, {})) | dict(fields)
        merged[part] = {name: value for name, value in kept.items() if value is not None}
    return merged
