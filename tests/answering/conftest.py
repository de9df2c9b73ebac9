from tests.replay.conftest import nothing_noted, spies

__all__ = ["nothing_noted", "spies"]
