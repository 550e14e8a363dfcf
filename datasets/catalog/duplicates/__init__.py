"""Images that repeat another one, found when they come in."""
