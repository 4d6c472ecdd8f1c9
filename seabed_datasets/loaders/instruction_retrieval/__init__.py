"""Loaders of instruction retrieval datasets, one file each."""
