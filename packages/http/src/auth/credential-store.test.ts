import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { failureOf } from "../testing/test-transport.js";
import { CredentialError } from "./credential-error.js";
import {
  credentialStorePath,
  readCredentialStore,
  readStoredKey,
  removeStoredKey,
  type StoredKey,
  storeKey,
} from "./credential-store.js";

const manual = (key: string): StoredKey => ({ type: "manual", key, name: "mine" });
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

describe("the credential store", () => {
  it("newest-clients 48: keeps keys by their id and uses the one stored last", async () => {
    const home = temporaryDirectory();
    expect(await readCredentialStore(home)).toEqual({ version: 1, keys: {} });
    await storeKey(home, "7", manual("tml-a"));
    await storeKey(home, "8", { ...manual("tml-b"), note: "second" });
    expect(await readStoredKey(home)).toBe("tml-b");
    const content = await readFile(credentialStorePath(home), "utf8");
    expect(JSON.parse(content)).toEqual({
      version: 1,
      default: "8",
      keys: { "7": manual("tml-a"), "8": { ...manual("tml-b"), note: "second" } },
    });
    expect(content).toContain('\n  "default": "8"');
  });

  it("newest-clients 48: a key that is taken out is used no longer; others stay", async () => {
    const home = temporaryDirectory();
    await storeKey(home, "7", manual("tml-a"));
    await storeKey(home, "8", manual("tml-b"));
    expect(await removeStoredKey(home, "7")).toEqual(manual("tml-a"));
    expect(await readStoredKey(home)).toBe("tml-b");
    expect(await removeStoredKey(home, "8")).toEqual(manual("tml-b"));
    expect(await readStoredKey(home)).toBeUndefined();
    expect(await removeStoredKey(home, "8")).toBeUndefined();
    expect(await removeStoredKey(home, "constructor")).toBeUndefined();
  });

  it.each([0o000, 0o077, 0o777])(
    "newest-clients 48: is its owner's alone whatever the umask is (%o)",
    async (umask) => {
      const home = temporaryDirectory();
      const before = process.umask(umask);
      try {
        await storeKey(home, "7", manual("tml-a"));
      } finally {
        process.umask(before);
      }
      expect(await modeOf(join(home, ".tinker"))).toBe(0o700);
      expect(await modeOf(credentialStorePath(home))).toBe(0o600);
    },
  );

  it("newest-clients 48: leaves the mode of a folder alone that was there", async () => {
    const home = temporaryDirectory();
    await mkdir(join(home, ".tinker"));
    await chmod(join(home, ".tinker"), 0o755);
    await storeKey(home, "7", manual("tml-a"));
    expect(await modeOf(join(home, ".tinker"))).toBe(0o755);
  });

  it("newest-clients 48: writers at one time leave a whole store, and nothing beside it", async () => {
    const home = temporaryDirectory();
    await Promise.all(Array.from({ length: 20 }, (_, i) => storeKey(home, String(i), manual(`tml-${i}`))));
    expect(await readStoredKey(home)).toMatch(/^tml-\d+$/);
    expect(Object.keys((await readCredentialStore(home)).keys)).toHaveLength(20);
    expect(await readdir(join(home, ".tinker"))).toEqual(["credentials.json"]);
  });

  it("newest-clients 48: a write that fails leaves the old store, and nothing beside it", async () => {
    const home = temporaryDirectory();
    // A folder in the store's place: the rename is what fails.
    await mkdir(join(credentialStorePath(home), "in the way"), { recursive: true });
    const error = await failureOf(storeKey(home, "7", manual("tml-a")));
    expect(error).toBeInstanceOf(CredentialError);
    expect(error.message).toContain("is not a file");
    expect(await readdir(join(home, ".tinker"))).toEqual(["credentials.json"]);
    expect(await readdir(credentialStorePath(home))).toEqual(["in the way"]);

    const file = join(temporaryDirectory(), "no folder");
    await writeFile(file, "");
    const other = await failureOf(storeKey(file, "7", manual("tml-canary")));
    expect(other).toBeInstanceOf(CredentialError);
    expect(other.message).not.toContain("canary");
  });

  it("does not overwrite a store that it cannot read", async () => {
    const home = temporaryDirectory();
    await mkdir(join(home, ".tinker"));
    for (const content of [
      '{"version":2}',
      '{"version":1,"keys":{"7":{"type":"odd"}}}',
      '{"version":1,"keys":[3]}',
    ]) {
      await writeFile(credentialStorePath(home), content, { mode: 0o600 });
      expect(await failureOf(storeKey(home, "7", manual("tml-a")))).toBeInstanceOf(CredentialError);
      expect(await failureOf(removeStoredKey(home, "7"))).toBeInstanceOf(CredentialError);
      expect(await readFile(credentialStorePath(home), "utf8")).toBe(content);
    }
  });

  it.each([
    ["an id that is no number", "__proto__", manual("tml-a")],
    ["an empty key", "7", manual("")],
    ["a type it does not know", "7", { ...manual("tml-a"), type: "odd" }],
    ["a generated key without details", "7", { ...manual("tml-a"), type: "generated" }],
  ])("refuses %s and writes nothing", async (_, id, key) => {
    const home = temporaryDirectory();
    expect(await failureOf(storeKey(home, id, key as StoredKey))).toBeInstanceOf(ValidationError);
    expect(await readdir(home)).toEqual([]);
  });
});
