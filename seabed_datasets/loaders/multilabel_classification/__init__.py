"""Loaders of multilabel classification datasets, one file each."""
