"""The multi-label classification metric: a Hub Space, and a plain function in ``scores``."""
