"""`make setup`: everything the platform needs, installed into `.venv` and `frontend/`.

Runs on a bare Python, so these modules import the standard library only.
"""
