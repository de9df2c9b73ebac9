"""What things cost in time, each beside a named limit."""
