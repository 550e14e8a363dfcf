"""Upgrades during which two versions run at once: the rule that migrations keep, and a check before one is made."""
