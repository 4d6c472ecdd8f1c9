"""Loaders of bitext mining datasets, one file each."""
