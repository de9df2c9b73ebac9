"""How good mined probes are: read by hand, and against gold probes on the same recordings."""
