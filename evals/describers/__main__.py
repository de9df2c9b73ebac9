"""``python -m evals.describers``."""

import sys

from evals.describers.report import main

sys.exit(main())
