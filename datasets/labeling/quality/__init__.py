"""How good the labels are: agreement, consensus, what goes to review, and what people's work is like."""
