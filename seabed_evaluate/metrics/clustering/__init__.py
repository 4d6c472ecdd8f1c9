"""The clustering metric: a Hub Space, and a plain function in ``scores``."""
