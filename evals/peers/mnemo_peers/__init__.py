"""Other people's ways of keeping a conversation within a budget, as strategies: their choice, our accounting."""
