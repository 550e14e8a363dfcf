"""`python -m motherlode.demo`: the same as `lode demo`."""

import sys

from motherlode.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "demo")
    main()
