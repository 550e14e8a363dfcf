"""A round as a state machine: its steps, what starts one, and how to retry one."""
