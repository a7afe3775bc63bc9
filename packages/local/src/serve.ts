// The command `tinkex serve` as a function, for the `tinkex` command and for this package's own.
export type { CommandSurroundings } from "@tinkex/base/node";
export { serveCommand } from "./command/serve-command.js";
