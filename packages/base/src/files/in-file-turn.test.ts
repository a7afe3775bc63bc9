import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { expect, it } from "vitest";
import { inFileTurn } from "./in-file-turn.js";

function folder(): string {
  const path = temporaryDirectory();
  return path;
}

const rest = () => new Promise((resolve) => setImmediate(resolve));

it("lets the work on one file come one after the other, by whatever name, and that on others meanwhile", async () => {
  const own = join(folder(), "own");
  writeFileSync(own, "");
  const link = `${own}-link`;
  symlinkSync(own, link);
  const seen: string[] = [];
  const work = (path: string, name: string) =>
    inFileTurn(path, async () => {
      seen.push(`${name} begins`);
      await rest();
      await rest();
      seen.push(`${name} ends`);
    });
  await Promise.all([work(own, "a"), work(link, "b"), work(join(own, "..", "own"), "c")]);
  expect(seen).toHaveLength(6);
  for (const place of [0, 2, 4]) {
    expect(seen[place + 1]).toBe(seen[place]?.replace("begins", "ends"));
  }
  seen.length = 0;
  expect(await inFileTurn(own, () => inFileTurn(`${own}-other`, async () => "other"))).toBe("other");
});

it("gives the turn on when work fails", async () => {
  const path = join(folder(), "file");
  const failing = inFileTurn(path, () => Promise.reject(new Error("disk full")));
  await expect(failing).rejects.toThrow("disk full");
  expect(await inFileTurn(path, async () => 1)).toBe(1);
});
