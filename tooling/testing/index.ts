export { failOnUnhandledErrors } from "./fail-on-unhandled-errors.js";
export { FAILING_LOGGERS, type FailingLogger } from "./failing-loggers.js";
export { type DirectoryPlace, temporaryDirectory } from "./temporary-directory.js";
