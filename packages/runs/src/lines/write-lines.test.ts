import { readFileSync, writeFileSync } from "node:fs";
import type * as Files from "node:fs/promises";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it, onTestFinished } from "vitest";
import { appendLines } from "./write-lines.js";

/** Makes appending fail halfway, as a disk that is full does. */
function fillDisk(): void {
  // The object whose functions `node:fs/promises` exports.
  const files: typeof Files = createRequire(import.meta.url)("node:fs/promises");
  const { appendFile } = files;
  files.appendFile = async (path, data) => {
    await appendFile(path, String(data).slice(0, -5));
    throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    files.appendFile = appendFile;
    syncBuiltinESMExports();
  });
}

it.each(['{"step": 0}\n', ""])(
  "takes back a line that was written by half when the disk is full, so that the next one stands alone",
  async (before) => {
    const path = join(temporaryDirectory(), "metrics.jsonl");
    writeFileSync(path, before);
    fillDisk();
    await expect(appendLines(path, [{ step: 1, loss: 0.25 }])).rejects.toThrow("no space left");
    expect(readFileSync(path, "utf8")).toBe(before);
  },
);
