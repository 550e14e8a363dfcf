"""Endpoints below `/api/2.0/mlflow` and `/api/2.0/mlflow-artifacts`."""
