"""Result files -> tables, comparisons, plots, the leaderboard page, exports; the paper's tables as data."""
