"""Where raw files come from: the Hub, GitHub at a commit, URLs, a local mirror; fetching and reading them."""
