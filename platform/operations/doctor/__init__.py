"""What is wrong with a platform: each finding with how many there are and what to do."""
