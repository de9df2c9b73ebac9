"""The command line: ``mnemo``."""
