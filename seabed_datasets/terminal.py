"""What all commands share: the application, common options, tables, progress, and errors as one line."""

from __future__ import annotations

import functools
import inspect
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from typing import Annotated, Any, get_args, get_type_hints

import typer

from seabed_datasets.catalogue.vocabulary import LANGUAGES, TASKS
from seabed_datasets.errors import SeabedError

# A traceback never shows local variables: API keys and tokens are among them.
app = typer.Typer(no_args_is_help=True, pretty_exceptions_show_locals=False)

# What a terminal obeys instead of showing it: control characters (ESC begins a command), line and paragraph
# separators, marks that change the direction of writing, and halves of characters, which nothing can print.
_OBEYED = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

TASKS_OPTION = typer.Option("--task", "--tasks", help="Comma-separated: " + ", ".join(TASKS))
LANGS_OPTION = typer.Option(
    "--lang", "--langs", help="Comma-separated ISO 639-3 codes: " + ", ".join(LANGUAGES)
)
QUIET_OPTION = typer.Option("--quiet", "-q", help="No progress bar.")

Tasks = Annotated[str | None, TASKS_OPTION]
Langs = Annotated[str | None, LANGS_OPTION]
Quiet = Annotated[bool, QUIET_OPTION]

# Panels of options in a command's help, in this order.
PANELS = (MODEL, DATA, SPEED, OUTPUT) = ("Model", "Data", "Speed", "Output")

# Names in a record; on the command line they are one comma-separated text.
Names = tuple[str, ...] | None


def takes(*records: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the fields of dataclasses as options, so that each option is written once.

    Args:
        *records: dataclasses; a field is an option if its type is annotated with `typer.Option`.

    Returns:
        A decorator; the command then gets one object of each record, and its own options as keywords.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = [
            p.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for p in list(inspect.signature(command, eval_str=True).parameters.values())[len(records) :]
        ]
        options: dict[type, list[inspect.Parameter]] = {}
        for record in records:
            hints = get_type_hints(record, include_extras=True)
            options[record] = [
                inspect.Parameter(
                    f.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=inspect.Parameter.empty if f.default is MISSING else f.default,
                    annotation=_typed(hints[f.name]),
                )
                for f in fields(record)
                if hasattr(hints[f.name], "__metadata__")
            ]

        @functools.wraps(command)
        def run_command(**values: Any) -> None:
            made = []
            for record in records:
                hints = get_type_hints(record)
                given = {p.name: values.pop(p.name) for p in options[record]}
                for name, value in given.items():
                    if hints[name] == Names and value is not None:
                        given[name] = tuple(comma(value) or ())
                made.append(record(**given))
            command(*made, **values)

        every = sorted((*(p for record in records for p in options[record]), *own), key=_panel)
        run_command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
        run_command.__annotations__ = {p.name: p.annotation for p in every}
        return run_command

    return decorate


def _panel(parameter: inspect.Parameter) -> int:
    """The place of an option's panel in the help: those without one come first."""
    title = getattr(parameter.annotation.__metadata__[0], "rich_help_panel", None)
    return PANELS.index(title) + 1 if title else 0


def _typed(hint: Any) -> Any:
    """The type of an option: names are one text on the command line."""
    (option,) = hint.__metadata__
    return Annotated[str | None, option] if get_args(hint)[0] == Names else hint


def comma(text: str | None) -> list[str] | None:
    """Cut a comma-separated option.

    Args:
        text: what the user typed, or None.

    Returns:
        The parts, or None for no filter.

    >>> comma("tha, mya")
    ['tha', 'mya']
    """
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def plain(text: str, *, lines: bool = False) -> str:
    """Text of a file, a card or a name as a terminal can show it without obeying it.

    Args:
        text: any text.
        lines: whether line breaks stay; else they are escaped, too, and the result is one line.

    Returns:
        The text, with what a terminal would obey written as an escape sequence. Zero-width spaces and joiners
        stay: the scripts of the region need them.

    >>> plain("a\\x1b[31mb\\u202e\\n")
    'a\\\\x1b[31mb\\\\u202e\\\\n'
    """
    return _OBEYED.sub(lambda m: "\n" if lines and m.group() == "\n" else repr(m.group())[1:-1], text)


def json_text(value: Any, indent: int | None = 1) -> str:
    """A value as JSON that a terminal shows without obeying it.

    Args:
        value: for `json.dumps`.
        indent: blanks per level; None for one line.

    Returns:
        JSON that reads back as the same value; letters are letters, what a terminal would obey is escaped.

    >>> json_text("\\x9b1m ก", None)
    '"\\\\u009b1m ก"'
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _OBEYED.sub(lambda m: "\n" if m.group() == "\n" else f"\\u{ord(m.group()):04x}", text)


def print_table(rows: list[dict[str, str]], caption: str) -> None:
    """Print rows as a table, never cutting a cell where the output is not a terminal.

    Args:
        rows: equal keys in each.
        caption: a line below the table.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in rows[0] if rows else []:
        table.add_column(Text(plain(column)), overflow="fold")
    for row in rows:
        # Text, not str: "[e02aa1a6]" and ":key:" in a cell are text.
        table.add_row(*(Text(plain(cell, lines=True)) for cell in row.values()))
    console = Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False, emoji=False)
    console.print(table)
    console.print(Text(plain(caption, lines=True)))


def summary(states: Mapping[str, tuple[str, str]], why: Mapping[str, str]) -> None:
    """Print to stderr what became of every name: those that succeeded in one line, the others one a line.

    Args:
        states: name -> (state, reason or "").
        why: name -> the reason in a few words, counted in a last line.
    """
    by_state: dict[str, list[str]] = {}
    for name, (state, reason) in states.items():
        if reason:
            typer.echo(plain(f"{state} {name}: {reason.removeprefix(f'{name}: ')}"), err=True)
        else:
            by_state.setdefault(state, []).append(name)
    if len(states) > 1:
        for state, names in by_state.items():
            typer.echo(f"{state}: {' '.join(names)}", err=True)
    if why:
        counts = Counter(why.values()).most_common()
        typer.echo("skipped because: " + ", ".join(f"{word} {n}" for word, n in counts), err=True)


@contextmanager
def bar(total: int, unit: str, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A progress bar on stderr, silent where stderr is no terminal.

    Args:
        total: how many steps there are.
        unit: what a step is.
        quiet: no bar at all.

    Returns:
        A context manager of the function to call with a name after each step.
    """
    from tqdm import tqdm

    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # one bar, not one more per file
    with tqdm(total=total, unit=unit, disable=True if quiet else None) as shown:

        def step(name: str) -> None:
            shown.set_postfix_str(name, refresh=False)
            shown.update()

        yield step


def run(application: typer.Typer) -> None:
    """Run a command line: an explained error becomes one line and its exit code, never a traceback.

    So does a place that cannot be read or written: a full disk, a folder where a file is expected.

    Args:
        application: the commands.
    """
    try:
        application()
    except SeabedError as error:
        typer.echo(f"error: {plain(str(error), lines=True)}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        raise  # whoever read the output has gone, and nothing can be said to them
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        typer.echo(plain(f"error: cannot read or write{where}: {error.strerror or error}"), err=True)
        sys.exit(1)
