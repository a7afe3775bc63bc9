// Writes src/index.ts: every name of the packages below, each from the first that has it. `pnpm --filter tinkex generate`
import { readFileSync, writeFileSync } from "node:fs";
import { indexSource } from "./index-source.js";

const target = new URL("src/index.ts", import.meta.url);
const source = indexSource((path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8"));
writeFileSync(target, source);
