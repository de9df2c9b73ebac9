"""What formats share in which a conversation is a plain list of messages: reading each, pairing, what writers lose."""
