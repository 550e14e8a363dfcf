"""A round as a state machine: its steps, what starts one, and taking one up again."""
