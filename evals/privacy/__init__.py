"""How well personal data and secrets are found: a hand-marked set, a score, and other libraries beside ours."""
