"""Loaders of pair classification datasets, one file each."""
