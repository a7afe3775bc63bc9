import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const fixtures = new URL("../../fixtures/", import.meta.url);

/** A recording by name, e.g. `recordings/qwen3`. */
export function readFixture(name: string): unknown {
  return JSON.parse(gunzipSync(readFileSync(new URL(`${name}.json.gz`, fixtures))).toString("utf8"));
}
