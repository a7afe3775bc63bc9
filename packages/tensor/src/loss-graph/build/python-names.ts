/** Names that Python has already: the official tracer numbers a node rather than give it one of them, and so do we. */
export const PYTHON_NAMES: ReadonlySet<string> = new Set(
  (
    "abs aiter all and anext any as ascii assert async await bin bool break breakpoint bytearray bytes callable chr class classmethod " +
    "compile complex continue copyright credits def del delattr device dict dir divmod elif else enumerate eval except exec exit filter " +
    "finally float for format from frozenset fx_pytree getattr global globals hasattr hash help hex id if import in inf input int is " +
    "isinstance issubclass iter lambda len license list locals map max memoryview min nan next nonlocal not object oct open or ord pass " +
    "pow print property pytree quit raise range repr return reversed round set setattr slice sorted staticmethod str sum super torch " +
    "try tuple type vars while with yield zip"
  ).split(" "),
);
