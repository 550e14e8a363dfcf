"""Rolling restarts and upgrades from the last release while people work: what is lost, doubled or refused."""
