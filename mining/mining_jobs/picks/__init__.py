"""From scores to picks: candidates, the pool as columns, what was picked and what that says."""
