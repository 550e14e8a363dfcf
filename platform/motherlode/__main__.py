"""`python -m motherlode`: the same as `lode`."""

from motherlode.cli import main

if __name__ == "__main__":
    main()
