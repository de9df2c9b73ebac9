"""``python -m evals.segmentation``."""

import sys

from evals.segmentation.measure import main

sys.exit(main())
