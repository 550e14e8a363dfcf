"""Limits that PostgreSQL itself holds sessions to: a process that froze in the middle of a transaction must not keep
its locks, because others wait for them.

They are settings of the platform's role in its database, not of a connection: a pooler refuses start-up options. A
process that waits for locks otherwise than others do (`settings.LOCK_SECONDS`) says so on its connections: a pooler in
session mode forgets it with the session.
"""

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

LOCK_SECONDS = 30
LIMITS = {"idle_in_transaction_session_timeout": "15s", "lock_timeout": f"{LOCK_SECONDS}s"}
SETTINGS = """
SELECT unnest(setconfig) FROM pg_db_role_setting
JOIN pg_roles ON pg_roles.oid = setrole JOIN pg_database ON pg_database.oid = setdatabase
WHERE rolname = current_user AND datname = current_database()
"""


def wait_for_locks(connection: BaseDatabaseWrapper) -> None:
    """Let a new connection wait for locks as long as this process does, unless its URL says otherwise."""
    told = connection.settings_dict["OPTIONS"].get("options", "")
    if settings.LOCK_SECONDS != LOCK_SECONDS and "lock_timeout" not in told:
        connection.connection.execute(f"SET lock_timeout = {round(1000 * settings.LOCK_SECONDS)}")


def set_missing(connection: BaseDatabaseWrapper) -> list[str]:
    """Set those that the role has no value of yet in this database; sessions that begin later have them. Returns their
    names."""
    missing = _without_value(connection)
    with connection.cursor() as cursor:
        database = connection.ops.quote_name(connection.settings_dict["NAME"])
        for name in missing:
            cursor.execute(f"ALTER ROLE CURRENT_USER IN DATABASE {database} SET {name} = '{LIMITS[name]}'")
    return missing


def not_in_force(connection: BaseDatabaseWrapper) -> list[str]:
    """Those that limit neither this session nor those that begin later."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings WHERE name = ANY(%s) AND setting = '0'", [list(LIMITS)])
        endless = {row[0] for row in cursor.fetchall()}
    return [name for name in _without_value(connection) if name in endless]


def _without_value(connection: BaseDatabaseWrapper) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(SETTINGS)
        known = {row[0].partition("=")[0] for row in cursor.fetchall()}
    return [name for name in LIMITS if name not in known]
