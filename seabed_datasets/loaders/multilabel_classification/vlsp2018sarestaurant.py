"""VLSP 2018 sentiment analysis, restaurants: the hotel set's format with other aspects."""

from seabed_datasets.loaders.multilabel_classification.vlsp2018sahotel import load

__all__ = ["load"]
