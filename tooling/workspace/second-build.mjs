// Builds twice and fails unless the second build came from turbo's cache alone.
import { execFileSync } from "node:child_process";
import { ROOT } from "./versions.mjs";

const build = () => execFileSync("turbo", ["run", "build"], { cwd: ROOT, encoding: "utf8" });
build();
const output = build();
const line = /Cached:\s+(\d+) cached, (\d+) total/.exec(output);
const complete = line !== null && line[1] === line[2];
console.log(line?.[0] ?? "turbo printed no cache summary");
process.exitCode = complete ? 0 : 1;
