"""Datasets as histories: commits, names, differences, forks."""
