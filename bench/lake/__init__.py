"""A lake beside a row for each frame: what each costs to register, to look at, and to pick from, and where it changes
over."""
