"""Rows -> Parquet, README, cards and manifest: the folder that is the Hub repository; reading it back; audit."""
