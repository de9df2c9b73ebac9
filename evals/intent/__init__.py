"""The classifier behind the trigger ``intent``: how it is learned and how good it is."""
