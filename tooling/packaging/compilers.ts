import { createRequire } from "node:module";
import { join } from "node:path";
import { REPOSITORY } from "./public-packages.js";

/** TypeScript 7, which is a program and no library, and takes an eighth of the time. */
export const NATIVE_COMPILER = join(
  createRequire(import.meta.url).resolve("@typescript/native/package.json"),
  "../bin/tsc",
);

/** The last TypeScript that is written in JavaScript. */
export const CLASSIC_COMPILER = join(REPOSITORY, "node_modules", "typescript", "bin", "tsc");
