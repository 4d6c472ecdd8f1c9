"""The nine `evaluate` modules, one folder each; `shared` holds what they have in common."""
