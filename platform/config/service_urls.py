"""URLs of services in the settings. Every option after the `?` is used or refused by its name: whoever writes
`sslmode=verify-full` must not run without it."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import environ
from django.core.exceptions import ImproperlyConfigured
from psycopg import pq

SQLITE = "django.db.backends.sqlite3"
DATABASES = ("sqlite", "postgres", "postgresql", "psql", "pgsql")
PLACES = {"user", "password", "port", "dbname"}
"""What the URL itself says of a PostgreSQL database; `host` too, unless the URL leaves it out (for a socket)."""
NOT_FOR_US = {"client_encoding", "fallback_application_name", "replication", "service"}
SECRETS = {"sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret"}
"""Options of libpq that PostgreSQL's programs (`pg_dump`) take only where everybody on the machine can read them."""
MAIL = ("smtp+tls", "smtps", "smtp")
"""STARTTLS, TLS from the first byte, and neither."""
REDIS_TLS = ("ssl_ca_certs", "ssl_cert_reqs", "ssl_certfile", "ssl_check_hostname", "ssl_keyfile")


def database_of(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings of the database at this URL, with the options of libpq that follow its `?` in `OPTIONS`.
    Raises ImproperlyConfigured naming the setting and what is wrong."""
    parts = urlsplit(url)
    if parts.scheme not in DATABASES:
        raise ImproperlyConfigured(f"{name} must begin with postgres:// or sqlite:///, not {parts.scheme}://.")
    given = _options(name, url)
    # Not put together again from its parts: Python would make sqlite://folder/file of sqlite:////folder/file.
    found: dict[str, Any] = environ.Env.db_url_config(url.partition("?")[0])
    if found["ENGINE"] == SQLITE:
        if given:
            raise ImproperlyConfigured(f"{name}: {_named(given)} means nothing to SQLite: remove it.")
        return found
    if given.get("host") and not found["HOST"]:
        found["HOST"] = given.pop("host")
    libpq = {option.keyword.decode() for option in pq.Conninfo.get_defaults()} - NOT_FOR_US
    for option in given:
        if option in PLACES | {"host"}:
            raise ImproperlyConfigured(
                f"{name}: write {option} in its place: postgres://user:password@host:port/dbname."
            )
        if option in SECRETS:
            raise ImproperlyConfigured(f"{name}: {option} can't be used: pg_dump would show it to others. Use a file.")
        if option not in libpq:
            usual = "sslmode, sslrootcert, sslcert, sslkey, connect_timeout, application_name, options and the like"
            raise ImproperlyConfigured(f"{name}: PostgreSQL knows no option {option!r}; it knows {usual}.")
    found["OPTIONS"] = given
    return found


def broker_url(name: str, url: str) -> str:
    """Return the broker's URL. Certificates of `rediss://` are verified unless it says otherwise: kombu would not.
    Raises ImproperlyConfigured for an option that nothing reads."""
    given, parts = _options(name, url), urlsplit(url)
    known = REDIS_TLS if parts.scheme == "rediss" else ()
    for option in given:
        if option not in known:
            means = f"{parts.scheme}:// takes {', '.join(known) if known else 'none'}"
            hint = "; for TLS use rediss://" if parts.scheme == "redis" and option.startswith("ssl") else ""
            raise ImproperlyConfigured(f"{name}: the option {option!r} means nothing: {means}{hint}.")
    if parts.scheme != "rediss" or "ssl_cert_reqs" in given:
        return url
    return urlunsplit(parts._replace(query=urlencode({**given, "ssl_cert_reqs": "required"})))


def plain_url(name: str, url: str) -> str:
    """Return a URL that takes no options. Raises ImproperlyConfigured if it has any."""
    parts = urlsplit(url)
    if parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{name} takes nothing after a ? or #: remove {parts.query or parts.fragment!r}.")
    return url


def mail_server(name: str, url: str) -> dict[str, Any]:
    """Return Django's settings of the mail server at this URL. Raises ImproperlyConfigured naming the setting."""
    plain_url(name, url)
    if (scheme := urlsplit(url).scheme) not in MAIL:
        raise ImproperlyConfigured(f"{name} must begin with {', '.join(f'{one}://' for one in MAIL)}, not {scheme}://.")
    found: dict[str, Any] = environ.Env.email_url_config(url)
    return found


def _options(name: str, url: str) -> dict[str, str]:
    pairs = parse_qsl(urlsplit(url).query, keep_blank_values=True)
    given = dict(pairs)
    if twice := next((key for key in given if sum(key == other for other, _ in pairs) > 1), None):
        raise ImproperlyConfigured(f"{name}: the option {twice!r} is there twice: keep one.")
    if empty := next((key for key, value in pairs if not value), None):
        raise ImproperlyConfigured(f"{name}: the option {empty!r} has no value.")
    return given


def _named(given: dict[str, str]) -> str:
    return ", ".join(repr(option) for option in given)
