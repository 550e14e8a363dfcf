"""How good the labels are: agreement, consensus, reviews, gold tasks, and what people's work is like."""
