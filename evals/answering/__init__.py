"""What a small reader answers from the contexts of several strategies."""
