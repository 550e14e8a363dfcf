"""Models: runs that train them, versions with proof, aliases and promotions."""
