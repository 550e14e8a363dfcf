"""The supervisor of the embedded profile: all processes of the platform on one machine, state in `var/`."""
