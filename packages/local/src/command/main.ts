import { serveCommand } from "./serve-command.js";

const ended = new Promise<void>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
});

process.exitCode = await serveCommand(process.argv.slice(2), {
  env: process.env,
  write: (line) => console.log(line),
  writeError: (line) => console.error(line),
  ended,
});
