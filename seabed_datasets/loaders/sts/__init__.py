"""Loaders of sts datasets, one file each."""
