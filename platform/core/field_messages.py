"""Error messages for invalid fields: plain words in place of Django REST framework's own, for every serializer.

A message follows the field's name (`count: must be at least 1`), so it begins in lower case and names no field itself.
DRF has no setting for its messages; each field class keeps them in `default_error_messages`, which it reads when a
field is made.
"""

from typing import Any, NoReturn

from rest_framework import fields, serializers

_NUMBER = {
    "min_value": "must be at least {min_value}",
    "max_value": "must be at most {max_value}",
    "max_string_length": "has too many digits for a number",
}
_LENGTH = {
    "min_length": "must have at least {min_length} characters",
    "max_length": "must have at most {max_length} characters",
}
_ENTRIES = {
    "not_a_list": "must be a list, not {input_type}",
    "empty": "must not be an empty list",
    "min_length": "must have at least {min_length} entries",
    "max_length": "must have at most {max_length} entries",
}
MESSAGES: dict[type[Any], dict[str, str]] = {
    fields.Field: {"required": "is missing: this field is required", "null": "must not be null"},
    fields.BooleanField: {"invalid": "must be true or false"},
    fields.CharField: {"invalid": "must be text", "blank": "must not be empty", **_LENGTH},
    fields.RegexField: {"invalid": "has characters that are not allowed here, or too many"},
    fields.IntegerField: {"invalid": "must be a whole number", **_NUMBER},
    fields.FloatField: {"invalid": "must be a number", "overflow": "is too large a number", **_NUMBER},
    fields.DateTimeField: {
        "invalid": "must be a time such as 2026-03-01T12:00:00Z",
        "date": "must be a time such as 2026-03-01T12:00:00Z, not a date alone",
        "make_aware": "is not a time of the zone {timezone}",
        "overflow": "is too far away for a time",
    },
    fields.FileField: {
        "required": "is missing: send a file",
        "invalid": "must be a file of a multipart form",
        "no_name": "must have a file name",
        "empty": "is an empty file",
        "max_length": "must have a file name of at most {max_length} characters, not {length}",
    },
    fields.ListField: _ENTRIES,
    serializers.ListSerializer: _ENTRIES,
    fields.DictField: {"not_a_dict": "must be an object, not {input_type}", "empty": "must not be an empty object"},
    fields.JSONField: {"invalid": "must be JSON"},
    serializers.Serializer: {"invalid": "must be an object, not {datatype}"},
}


def say_plainly() -> None:
    """Replace the messages of DRF's field classes with these."""
    for kind, messages in MESSAGES.items():
        kind.default_error_messages = kind.default_error_messages | messages
    fields.ChoiceField.fail = _fail_choice  # type: ignore[method-assign,assignment]  # its message can't name the choices


def _fail_choice(self: fields.ChoiceField, key: str, **values: Any) -> NoReturn:
    if key == "invalid_choice":
        choices = ", ".join(str(choice) for choice in self.choices)
        raise serializers.ValidationError(f"must be one of {choices}, not {str(values['input'])[:80]!r}", code=key)
    super(fields.ChoiceField, self).fail(key, **values)
