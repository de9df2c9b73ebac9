"""How well each step of long-term memory does its job."""
