export { failOnUnhandledErrors } from "./fail-on-unhandled-errors.js";
export { type DirectoryPlace, temporaryDirectory } from "./temporary-directory.js";
