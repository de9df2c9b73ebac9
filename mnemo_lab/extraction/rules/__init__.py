"""Facts by rules: patterns of what people say of themselves and their work, in English and Chinese."""
