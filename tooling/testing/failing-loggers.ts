/** Logger whose every method fails in one way. */
export interface FailingLogger {
  readonly debug: () => unknown;
  readonly info: () => unknown;
  readonly warn: () => unknown;
  readonly error: () => unknown;
}

const fail = (): never => {
  throw new Error("disk full");
};

const loggerOf = (line: () => unknown): FailingLogger => ({
  debug: line,
  info: line,
  warn: line,
  error: line,
});

/** Loggers of a caller's that fail, at once or later, each with a verb for the title of a test. */
export const FAILING_LOGGERS: readonly (readonly [string, FailingLogger])[] = [
  ["throws", loggerOf(fail)],
  ["rejects", loggerOf(async () => fail())],
];
