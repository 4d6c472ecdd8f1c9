"""Texts -> vectors: model folders and Hub models, APIs, prompts, batches, and the cache of vectors."""
