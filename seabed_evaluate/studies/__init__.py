"""The paper's studies as commands, and some that it does not have: one file each."""
