"""Writes random Jinja templates and what jinja2 renders of them with the settings of transformers' apply_chat_template.

`python template_cases.py --seed 1 --count 1000` prints one JSON line with the versions and the variables, and one for each
template: {"source", "result": {"text"} | {"error"}}. It needs jinja2 and transformers.
"""

import argparse
import copy
import json
import signal
import warnings

import jinja2
import transformers
from template_expressions import QUOTE, VARIABLES, rng
from template_statements import template
from transformers.utils.chat_template_utils import _compile_jinja_template

# Templates that take longer are left out: powers and repetitions may be huge.
MAX_SECONDS = 3
MAX_TEXT = 20_000


# apply_chat_template leaves out the fields of a message that are None.
GIVEN = {
    **VARIABLES,
    "messages": [
        {key: value for key, value in message.items() if value is not None} for message in VARIABLES["messages"]
    ],
}


def render(environment, source):
    """The text, or the name of the exception; None for what takes too long."""

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, MAX_SECONDS)
    try:
        text = environment.from_string(source).render(**copy.deepcopy(GIVEN))
        text.encode()
        return {"text": text}
    except TimeoutError:
        return None
    except Exception as error:  # Every kind counts as a refusal.
        return {"error": type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    rng.seed(arguments.seed)
    environment = _compile_jinja_template("").environment
    print(
        json.dumps({"jinja2": jinja2.__version__, "transformers": transformers.__version__, "variables": GIVEN})
    )
    written = 0
    while written < arguments.count:
        source = template().replace(QUOTE, '"')
        result = render(environment, source)
        # Addresses of objects are chance.
        if "{%" not in source and "{{" not in source:
            continue
        if result is None or len(result.get("text", "")) > MAX_TEXT or " at 0x" in result.get("text", ""):
            continue
        print(json.dumps({"source": source, "result": result}))
        written += 1


if __name__ == "__main__":
    main()
