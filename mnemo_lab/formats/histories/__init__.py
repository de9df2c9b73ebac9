"""What the readers of histories that tools keep share: loose fields, pairs of calls, content blocks, trees."""
