"""What a contributor uses: `seabed new`, `seabed check`, `seabed stats`."""
