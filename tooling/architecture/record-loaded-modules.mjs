// Loaded with `node --import`: prints the address of every module that the process loads, one a line, to standard error.
import { register } from "node:module";

const hook = `
import { writeSync } from "node:fs";
export async function load(url, context, next) {
  writeSync(2, url + "\\n");
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
