"""Data checks: named rules about cards (SB1xx), rows (SB2xx), scripts (SB3xx), size and balance (SB4xx)."""
