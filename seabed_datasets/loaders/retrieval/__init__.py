"""Loaders of retrieval datasets, one file each."""
