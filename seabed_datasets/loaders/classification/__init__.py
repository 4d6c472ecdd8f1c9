"""Loaders of classification datasets, one file each."""
