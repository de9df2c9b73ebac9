"""``python -m evals.hydration``."""

import sys

from evals.hydration.command import main

sys.exit(main())
