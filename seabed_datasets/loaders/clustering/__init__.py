"""Loaders of clustering datasets, one file each."""
