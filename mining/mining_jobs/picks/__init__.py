"""From scores to picks: candidates, the pool as columns, the picks and what their answers say."""
