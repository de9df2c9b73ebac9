"""Words, languages, dates and normal forms, in any script."""
