"""Calls every method and option of the official Python SDK, and compares what each gives with a table.

usage: sdk_surface.py TABLE.toml [BASE_URL KEYED_URL BASE_MODEL]

Prints one JSON line a row, if it is given servers, and at the end one for each thing of the installed package that the table does not have. The table says
of each row: `method`, the `options` that it passes, `do` (an expression), `value` (what of `it`, its result, is compared; default `it`)
and `is`. `near` is a tolerance, `twin` runs the row again with the method of the same name and `_async`, `let` keeps the
result under a name, `raises` is the beginning of an exception's text, `needs` names modules without which the row is skipped.
"""

import asyncio
import functools
import importlib
import importlib.util
import inspect
import json
import math
import os
import pkgutil
import re
import sys
import tempfile
import tomllib
import traceback
import warnings
from pathlib import Path

HOME = tempfile.TemporaryDirectory()
# Keys that somebody has stored have no part in this.
os.environ.update(HOME=HOME.name, TINKER_TELEMETRY="0")
warnings.simplefilter("ignore")

import tinker  # noqa: E402
from tinker import types  # noqa: E402
from tinker.lib import public_interfaces  # noqa: E402


def classes_of(names):
    """Classes by their names, most of which the package exports."""
    for name in names:
        places = [tinker, types]
        for _, module, _ in pkgutil.iter_modules(public_interfaces.__path__):
            places.append(importlib.import_module(f"{public_interfaces.__name__}.{module}"))
        yield name, next(getattr(place, name) for place in places if hasattr(place, name))


def parameters_of(function):
    skipped = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = inspect.signature(function).parameters.values()
    public = [each for each in found if each.name not in ("self", "cls") and not each.name.startswith("_")]
    return [each.name for each in public if each.kind not in skipped]


def public_members(owner):
    for name, member in vars(owner).items():
        if name.startswith("_"):
            continue
        if isinstance(member, (staticmethod, classmethod)):
            yield name, parameters_of(member.__func__)
        elif isinstance(member, property):
            yield name, []
        elif callable(member) and not inspect.isclass(member):
            yield name, parameters_of(member)


def surface_of(table):
    """All methods of the installed package with their options, by name."""
    surface = {}
    for name, owner in classes_of(table["classes"]):
        if owner.__init__ is not object.__init__ and name in table["constructed"]:
            surface[name] = parameters_of(owner.__init__)
        for member, options in public_members(owner):
            surface[f"{name}.{member}"] = options
    for name, owner in classes_of(table["records"]):
        fields = getattr(owner, "model_fields", None)
        surface[name] = list(fields) if fields else parameters_of(owner.__init__)
    if hasattr(tinker, "auth"):
        for name in tinker.auth.__all__:
            surface[f"auth.{name}"] = parameters_of(getattr(tinker.auth, name))
    return surface


class Calls:
    """Notes which methods were called, with which options."""

    def __init__(self):
        self.seen = {}

    def note(self, name, options):
        self.seen.setdefault(name, set()).update(options)

    def watch(self, table):
        for name, owner in classes_of(table["classes"] + table["records"]):
            if name in table["constructed"] or name in table["records"]:
                owner.__init__ = self.noting(name, owner.__init__)
            for member, kind in list(vars(owner).items()):
                if member.startswith("_"):
                    continue
                full = f"{name}.{member}"
                if isinstance(kind, (staticmethod, classmethod)):
                    setattr(owner, member, type(kind)(self.noting(full, kind.__func__)))
                elif isinstance(kind, property):
                    setattr(owner, member, property(self.noting(full, kind.fget)))
                elif callable(kind) and not inspect.isclass(kind):
                    setattr(owner, member, self.noting(full, kind))
        if hasattr(tinker, "auth"):
            for name in tinker.auth.__all__:
                setattr(tinker.auth, name, self.noting(f"auth.{name}", getattr(tinker.auth, name)))

    def noting(self, name, function):
        @functools.wraps(function)
        def noted(*args, **kwargs):
            positional = [each for each in inspect.signature(function).parameters][: len(args)]
            self.note(name, [*positional, *kwargs])
            return function(*args, **kwargs)

        return noted


def settled(result):
    """Waits for whatever a method gives: a coroutine, a future, or one that gives another."""
    while True:
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        elif isinstance(result, tinker.APIFuture) or hasattr(result, "add_done_callback"):
            result = result.result()
        else:
            return result


def is_same(got, expected, near):
    if isinstance(expected, list):
        return len(got) == len(expected) and all(is_same(a, b, near) for a, b in zip(got, expected))
    if isinstance(expected, float) and near is not None and not math.isnan(expected):
        return abs(got - expected) <= near
    return type(got) is type(expected) and got == expected


def run_row(row, scope, calls, is_twin):
    method = row["method"] + ("_async" if is_twin else "")
    last = row["method"].rsplit(".", 1)[-1]
    code = re.sub(rf"\.{last}\(", f".{last}_async(", row["do"]) if is_twin else row["do"]
    calls.seen.clear()
    scope["n"] = int(is_twin)
    line = {"method": method, "do": code}
    try:
        scope["it"] = settled(eval(code, scope))
        if "let" in row:
            scope[row["let"]] = scope["it"]
        got = eval(row.get("value", "it"), scope)
        line.update(ok="raises" not in row and is_same(got, row["is"], row.get("near")), got=repr(got)[:300])
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        line.update(ok="raises" in row and row["raises"] in text, got=text[:600])
        if not line["ok"]:
            line["trace"] = traceback.format_exc()[-600:]
    line["expected"] = row.get("raises", row.get("is"))
    unseen = {*row.get("options", [])} - calls.seen.get(method, set())
    if method not in calls.seen or unseen:
        line.update(ok=False, unseen=sorted(unseen) or method)
    return line


def run_rows(table, servers):
    calls = Calls()
    calls.watch(table)
    base_url, keyed_url, base_model = servers
    scope = {"tinker": tinker, "types": types, "URL": base_url, "KEYED": keyed_url, "MODEL": base_model}
    exec(table["prelude"], scope)
    for row in table["row"]:
        missing = [name for name in row.get("needs", []) if importlib.util.find_spec(name) is None]
        for is_twin in (False, True) if row.get("twin") else (False,):
            if missing:
                line = {"method": row["method"] + ("_async" if is_twin else ""), "skipped": f"needs {', '.join(missing)}"}
            else:
                line = run_row(row, scope, calls, is_twin)
            print(json.dumps(line, default=repr), flush=True)


def described_in(table, surface):
    """Methods with the options that the table has of them."""
    described = {}
    for row in table["row"]:
        for suffix in ("", "_async") if row.get("twin") else ("",):
            described.setdefault(row["method"] + suffix, set()).update(row.get("options", []))
    for each in table["explained"]:
        for method in each["methods"]:
            described.setdefault(method, set()).update(each.get("options", surface.get(method, [])))
    return described


def main(table_file, *servers):
    table = tomllib.loads(Path(table_file).read_text())
    surface = surface_of(table)
    if servers:
        run_rows(table, servers)
    described = described_in(table, surface)
    for method, options in surface.items():
        absent = [option for option in options if option not in described.get(method, ())]
        if method not in described:
            absent = "method"
        if absent:
            print(json.dumps({"method": method, "ok": False, "not in the table": absent}), flush=True)
    for method in described.keys() - surface.keys():
        print(json.dumps({"method": method, "ok": False, "not in the package": method}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
    sys.stdout.flush()
    # The SDK's native threads run on while an interpreter ends, which has crashed after all was printed: it is not waited for.
    os._exit(0)
