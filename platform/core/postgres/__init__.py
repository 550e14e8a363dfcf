"""Django's PostgreSQL backend with statements that stay planned and a time limit on a silent server; set a database's
ENGINE to this package."""
