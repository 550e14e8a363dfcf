"""A transaction locks the database at once; one that must wait for another tries again every few milliseconds.

SQLite itself sleeps longer and longer, up to 0.1 s a time: of four annotators who write for 3 ms each, one waits for 60
ms then.
"""

import sqlite3
import time

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from core import slow_statements

FIRST, LONGEST = 0.0005, 0.004
"""The first and the longest sleep between two tries, in seconds; each is twice the one before."""
USUAL_TIMEOUT = 5.0


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's backend with shorter waits for a lock; statements outside of transactions wait as SQLite does."""

    def _start_transaction_under_autocommit(self) -> None:
        """Begin. Raises OperationalError ("database is locked") after as long as SQLite itself would have waited."""
        timeout = float(self.settings_dict["OPTIONS"].get("timeout", USUAL_TIMEOUT))
        self._wait_at_most(0)
        began = time.monotonic()
        try:
            self._begin(began + timeout)
        finally:
            self._wait_at_most(timeout)
            slow_statements.note("BEGIN IMMEDIATE", time.monotonic() - began)

    def _begin(self, deadline: float) -> None:
        # Not a Django cursor: its exception is part of a reference cycle that holds it. Another thread, which holds
        # the lock that we wait for, may come to collect that cycle, and would wait for us.
        pause = FIRST
        while True:
            try:
                self.connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as fault:
                if fault.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise OperationalError(str(fault)) from None
            else:
                return
            time.sleep(pause)
            pause = min(2 * pause, LONGEST)

    def _wait_at_most(self, seconds: float) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {round(1000 * seconds)}")
