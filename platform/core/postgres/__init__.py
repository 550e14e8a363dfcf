"""Django's PostgreSQL, with statements that stay planned, and with an end to waiting for a silent server; a database's
ENGINE is this package."""
