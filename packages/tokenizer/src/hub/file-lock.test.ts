import { lstat, open, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock, TimeoutError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { beforeEach, expect, it, vi } from "vitest";
import { withFileLock } from "./file-lock.js";

let directory: string;
let path: string;
/** How long the program has waited, by its own clock. */
let waitedMs: number;
let onSleep: () => Promise<void>;

/** A clock on which a wait is over at once. */
const clock: Clock = {
  now: () => Date.now() + waitedMs,
  monotonic: () => waitedMs,
  async sleep(ms, signal, options) {
    if (options?.background) return systemClock.sleep(ms, signal, options);
    signal?.throwIfAborted();
    waitedMs += ms;
    await onSleep();
  },
};

beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, "a.lock");
  waitedMs = 0;
  onSleep = async () => {};
});

const dated = async (ms: number) => utimes(path, new Date(ms), new Date(ms));

it.each([
  ["in an hour", 3_600_000],
  ["in ten years", 315_360_000_000],
  ["now", 0],
])("a lock that nobody holds is taken over after 15 s when it is dated %s", async (_name, offsetMs) => {
  await writeFile(path, "");
  await dated(Date.now() + offsetMs);
  expect(await withFileLock(path, async () => "done", { clock })).toBe("done");
  expect(waitedMs).toBeGreaterThan(14_000);
  expect(waitedMs).toBeLessThan(16_000);
});

it("a lock that a full disk has no room to write is not left behind", async () => {
  const other = await open(join(directory, "other"), "w");
  await other.close();
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  const written = vi.spyOn(Object.getPrototypeOf(other), "writeFile").mockRejectedValueOnce(full);
  await expect(withFileLock(path, async () => "done", { clock })).rejects.toBe(full);
  written.mockRestore();
  expect(await readdir(directory)).toEqual(["other"]);
});

it("a lock that is a link to nothing is taken over after 15 s", async () => {
  await symlink(join(directory, "nothing"), path);
  expect(await withFileLock(path, async () => (await lstat(path)).isFile(), { clock })).toBe(true);
  expect(waitedMs).toBeLessThan(16_000);
});

it("a lock that its holder touches, by a clock an hour fast, is waited for, and taken once it is gone", async () => {
  await writeFile(path, "");
  onSleep = async () => {
    if (waitedMs < 60_000) await dated(Date.now() + 3_600_000 + waitedMs);
    else await rm(path, { force: true });
  };
  await withFileLock(path, async () => {}, { clock });
  expect(waitedMs).toBe(60_000);
});

it("a holder that touches its lock and never ends is waited for within a limit", async () => {
  await writeFile(path, "");
  const fast: Clock = { ...clock, sleep: (ms, ...rest) => clock.sleep(ms * 100, ...rest) };
  onSleep = () => dated(Date.now() + waitedMs);
  const waiting = withFileLock(path, async () => {}, { clock: fast });
  await expect(waiting).rejects.toThrow(TimeoutError);
  await expect(waiting).rejects.toThrow(path);
});

it.each([
  ["stands", async () => {}],
  ["is taken over and is gone", async () => rm(path)],
])("a holder that ends leaves no lock of its own where it %s", async (_name, meanwhile) => {
  await withFileLock(path, meanwhile, { clock });
  await expect(lstat(path)).rejects.toThrow("ENOENT");
});

it("a holder that stood still takes nothing from the one that took over", async () => {
  await withFileLock(
    path,
    async () => {
      await rm(path);
      await writeFile(`${path}.keeps the number`, "");
      await writeFile(path, "another's");
    },
    { clock },
  );
  expect(await readFile(path, "utf8")).toBe("another's");
});
