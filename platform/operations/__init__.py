"""Commands for operators, on the platform's machine: backup, restore, and diagnosis."""
