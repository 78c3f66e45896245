"""`python -m abs_shield`: the command `abs-shield`."""

import sys

from abs_shield.cli import main

if __name__ == "__main__":
    sys.exit(main())
