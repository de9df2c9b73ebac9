"""Facts worth remembering, found in what was said."""
