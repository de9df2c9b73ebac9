"""``python -m evals.stretched``."""

import sys

from evals.stretched.command import main

if __name__ == "__main__":
    sys.exit(main())
