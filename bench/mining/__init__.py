"""What mining promises, measured.

Each part is a module whose `run(quick=...)` measures, shows its tables as it goes and returns their lines; `quick` is
everything small, for a glance, and promises nothing.
"""
