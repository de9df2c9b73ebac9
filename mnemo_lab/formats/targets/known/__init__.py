"""The rules of every target that comes with this package, one file each."""
