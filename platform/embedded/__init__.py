"""One supervisor for the embedded profile: every process of the platform on one machine, state in `var/`."""
