"""`make setup`: everything the platform needs, installed into `.venv` and `frontend/`.

Runs on a bare Python 3.11, so these modules import the standard library only.
"""
