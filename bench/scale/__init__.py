"""One process and two that train together: how much of the second is won, and what a model of their exchange says of
that and of machines that are not here."""
