"""Find the platform's address and the caller's token: from arguments, else the environment, else the checkout's own
platform."""

import json
import os
from pathlib import Path

from motherlode.errors import MotherlodeError

CHECKOUT = Path(__file__).resolve().parents[2]
DEFAULT_PORT = "8000"


def var_folder() -> Path:
    """The folder that holds the state of the checkout's own platform: MOTHERLODE_VAR, or `var` in the checkout."""
    return Path(os.environ.get("MOTHERLODE_VAR") or CHECKOUT / "var")


def find_url(given: str | None = None) -> str:
    """Return `given`, else MOTHERLODE_URL, else this machine's platform on PORT, else the address of the checkout's
    own."""
    if (named := given or os.environ.get("MOTHERLODE_URL")) or (port := os.environ.get("PORT")):
        return named or f"http://127.0.0.1:{port}"
    return _started_at() or f"http://127.0.0.1:{DEFAULT_PORT}"


def token_origin(given: str | None = None) -> str:
    """Describe for people where `find_token` finds the token."""
    if given is not None:
        return "the call's `token`"
    return "MOTHERLODE_TOKEN" if "MOTHERLODE_TOKEN" in os.environ else str(var_folder() / "token")


def find_token(given: str | None = None) -> str:
    """Return `given`, else MOTHERLODE_TOKEN, else the owner's token that `make up` wrote. Raises MotherlodeError when
    there is no token, when it is empty, as an unset secret leaves it, and when a header can't carry it."""
    path = var_folder() / "token"
    told = os.environ.get("MOTHERLODE_TOKEN") if given is None else given
    if told is not None and not told.strip():
        detail = f"{token_origin(given)} is empty: set it to a token"
        if given is None:
            detail += f", or unset it to go as the owner, by {path}"
        raise MotherlodeError(status=0, code="token_missing", detail=detail)
    try:
        token = told or path.read_text(errors="replace", encoding="utf-8").strip()
    except OSError as error:
        detail = f"No token: set MOTHERLODE_TOKEN, or run `make up` once, which writes {path}"
        raise MotherlodeError(status=0, code="token_missing", detail=detail) from error
    if not (token.isascii() and token.isprintable()):
        detail = "The token holds characters that no token of a platform has: copy it again"
        raise MotherlodeError(status=0, code="token_malformed", detail=detail)
    return token


def _started_at() -> str | None:
    """Return the address that the supervisor of the checkout's platform wrote down; None where `make up` never ran."""
    try:
        address = json.loads((var_folder() / "supervisor.json").read_bytes())["address"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return address if isinstance(address, str) and address.startswith("http") else None
