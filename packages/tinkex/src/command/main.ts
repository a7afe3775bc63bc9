import { readFileSync } from "node:fs";
import { commandSurroundings } from "@tinkex/base/node";
import { runCommand } from "./run-command.js";

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

process.exitCode = await runCommand(process.argv.slice(2), commandSurroundings(process), manifest.version);
