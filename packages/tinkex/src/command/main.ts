import { readFileSync } from "node:fs";
import { runCommand } from "./run-command.js";

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

const ended = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
});

process.exitCode = await runCommand(
  process.argv.slice(2),
  {
    env: process.env,
    write: (line) => console.log(line),
    writeError: (line) => console.error(line),
    ended,
  },
  manifest.version,
);
