"""Runs every command and option of the official command line, and compares what each prints with a table.

usage: cli_surface.py TABLE.toml BASE_URL API_KEY BASE_MODEL

Prints one JSON line a row, and at the end one for each command or option of the installed package that the table does not have. A row has
`command`, its `args` (`{name}` stands for a value of the prelude), the `exit` code (0), what it `prints`, and of what it prints as
JSON a `value`, an expression over `it`, with what that `is`.
"""

import json
import os
import sys
import tempfile
import tomllib
import warnings
from pathlib import Path

warnings.simplefilter("ignore")
HOME = tempfile.TemporaryDirectory()
os.environ.update(HOME=HOME.name, TINKER_TELEMETRY="0", COLUMNS="400")
import click  # noqa: E402
import tinker  # noqa: E402
from click.testing import CliRunner  # noqa: E402
from tinker import types  # noqa: E402
from tinker.cli.__main__ import main_cli  # noqa: E402


def commands_of(group, path, context):
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands_of(command, [*path, name], context)
        else:
            yield " ".join([*path, name]), {each.opts[0] for each in command.params if isinstance(each, click.Option)}


def run_row(row, scope):
    args = [each.format(**scope) for each in [*row.get("before", []), *row["command"].split(), *row.get("args", [])]]
    result = CliRunner().invoke(main_cli, args, input=row.get("input"))
    line = {"command": row["command"], "args": args, "got": result.stdout[-400:]}
    # The program prints these itself, around the command.
    error = getattr(result.exception, "message", None)
    code = getattr(result.exception, "exit_code", result.exit_code)
    text = result.stdout + (f"Error: {error}" if error else "")
    absent = [each.format(**scope) for each in row.get("prints", []) if each.format(**scope) not in text]
    ok = code == row.get("exit", 0) and not absent
    if "value" in row:
        try:
            scope["it"] = json.loads(result.stdout) if "json" in row.get("before", []) else result.stdout
            line["got"] = eval(row["value"], scope)
            ok = ok and line["got"] == row["is"]
        except Exception as fault:
            ok = False
            line["got"] = f"{type(fault).__name__}: {fault}: {result.stdout[-300:]}"
    if not ok:
        line.update(exit=code, absent=absent, error=repr(result.exception), details=str(getattr(result.exception, "details", "")))
    return {**line, "ok": ok, "expected": row.get("is", row.get("prints"))}


def main(table_file, base_url, api_key, base_model):
    table = tomllib.loads(Path(table_file).read_text())
    # Commands write into the folder they are run in.
    os.chdir(HOME.name)
    os.environ.update(TINKER_BASE_URL=base_url, TINKER_API_KEY=api_key)
    scope = {"tinker": tinker, "types": types, "Path": Path, "URL": base_url, "MODEL": base_model}
    exec(table["prelude"], scope)
    described = {}
    for row in table["row"]:
        options = {each.split("=")[0] for each in row.get("args", []) if each.startswith("--")}
        described.setdefault(row["command"], set()).update(options)
        print(json.dumps(run_row(row, scope), default=repr), flush=True)
    for each in table["explained"]:
        described.setdefault(each["command"], set()).update(each.get("options", []))
    surface = dict(commands_of(main_cli, [], click.Context(main_cli)))
    for command, options in surface.items():
        absent = sorted(options - described.get(command, set())) if command in described else "command"
        if absent:
            print(json.dumps({"command": command, "ok": False, "not in the table": absent}), flush=True)
    for command in described.keys() - surface.keys():
        print(json.dumps({"command": command, "ok": False, "not in the package": command}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
