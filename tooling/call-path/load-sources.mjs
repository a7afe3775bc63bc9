// Loaded with `node --import`: runs TypeScript sources function by function as they are written, so that V8 counts those and no
// helpers of a bundler, and notes the order in which files are entered.
import { register } from "node:module";
import { ENTERED } from "./note-entries.mjs";

Reflect.set(globalThis, ENTERED, new Set());
register("./source-hooks.mjs", import.meta.url);
