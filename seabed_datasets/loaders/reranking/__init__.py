"""Loaders of reranking datasets, one file each."""
