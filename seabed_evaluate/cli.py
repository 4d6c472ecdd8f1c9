"""The `seabed` command: the commands of every stage, and the demo that goes through all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

# Importing a module of commands adds them to the application.
import seabed_datasets.cli  # noqa: F401
import seabed_evaluate.report.commands
import seabed_evaluate.runner.commands
import seabed_evaluate.studies.commands  # noqa: F401
from seabed_datasets.terminal import Quiet, app, print_table
from seabed_datasets.terminal import run as run_app

app.info.help = "SEA-BED: the Southeast Asia Embedding Benchmark."


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the bundle and the results.")] = Path("seabed-demo"),
    quiet: Quiet = False,
) -> None:
    """Score multilingual-e5-small on nine small sample sets, offline: shows that everything works."""
    from seabed_evaluate.report.tables import config_rows
    from seabed_evaluate.runner.demo import demo as make

    found = make(out, quiet=quiet)
    print_table(
        config_rows(found), "Sample data, machine-written, not part of SEA-BED: not a measure of the model."
    )
    typer.echo(f"bundle: {out / 'bundle'}\nresult files: {out / 'results'}")
    typer.echo(f"try: seabed report {out / 'results'}   seabed show sample_sts_mya   seabed list")


def main() -> None:
    """Entry point of the `seabed` command."""
    run_app(app)
