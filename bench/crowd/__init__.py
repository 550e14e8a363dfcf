"""A crowd before the production profile: annotators, API clients and mining at once, behind the proxy of deploy/."""
