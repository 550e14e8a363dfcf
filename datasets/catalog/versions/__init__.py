"""Versions of datasets: commits, names, differences, forks."""
