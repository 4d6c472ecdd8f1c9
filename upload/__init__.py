"""Maintainers' tools: publish the bundle and the metric Spaces to the Hub. Not in the wheel."""
