"""Scores of models, kept in columnar files so that nothing is scored twice."""
