"""The version of this code, as `lode --version` says it."""

from importlib import metadata

VERSION = metadata.version("motherlode")
