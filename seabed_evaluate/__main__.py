"""`python -m seabed_evaluate` is the `seabed` command."""

from seabed_evaluate.cli import main

if __name__ == "__main__":
    main()
