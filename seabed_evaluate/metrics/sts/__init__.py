"""The semantic textual similarity metric: a Hub Space, and a plain function in ``scores``."""
