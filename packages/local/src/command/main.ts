import { commandSurroundings } from "@tinkex/base/node";
import { serveCommand } from "./serve-command.js";

process.exitCode = await serveCommand(process.argv.slice(2), commandSurroundings(process));
