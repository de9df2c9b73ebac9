"""A conversation as people read it: what Markdown and HTML show, worked out once for both."""
