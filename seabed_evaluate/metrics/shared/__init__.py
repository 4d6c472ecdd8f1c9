"""What the nine metric modules have in common; `python -m upload metrics` copies it into each Space."""
