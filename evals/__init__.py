"""The questions we ask: grids to run, how defaults were chosen, and what things cost in time."""
