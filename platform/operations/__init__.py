"""What is done by who runs the platform, on its machine: back it up, restore it, look what is wrong with it."""
