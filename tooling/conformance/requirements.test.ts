import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { SERVER_KINDS } from "./servers/server-kinds.js";

const read = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");
const files = readdirSync(import.meta.dirname).filter((file) => /^requirements.*\.txt$/.test(file));

/** The requirements of a file, each with its lines joined to one. */
const requirementsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/ *\\\n */g, " ")
    .split("\n")
    .filter((line) => line !== "" && !line.trimStart().startsWith("#"));

it("there is a file for each generation of the SDK", () => {
  expect(files).toEqual(["requirements-0.25.txt", "requirements-0.4.txt", "requirements.txt"]);
});

/** Lists of the servers that others wrote. */
const ofServers = readdirSync(join(import.meta.dirname, "servers")).flatMap((file) =>
  file.endsWith(".txt") ? [join("servers", file)] : [],
);

it("every server that others wrote has its lists", () => {
  expect(ofServers.map((file) => basename(file)).sort()).toEqual(
    [...new Set(SERVER_KINDS.flatMap(({ requirements }) => requirements))].sort(),
  );
});

it.each([...files, ...ofServers])("%s pins every package to one version, and its files by hash", (file) => {
  const requirements = requirementsOf(read(file));
  expect(requirements.length).toBeGreaterThan(1);
  const pinned = /^[a-z0-9_-]+==[a-z0-9.]+(?: ; [^\\]+?)?(?: --hash=sha256:[0-9a-f]{64})+$/;
  expect(requirements.filter((requirement) => !pinned.test(requirement))).toEqual([]);
});

it.each([
  ["requirements.txt", "0.38.0"],
  ["requirements-0.25.txt", "0.25.0"],
  ["requirements-0.4.txt", "0.4.1"],
])("%s holds version %s of the SDK, and says how it was made", (file, version) => {
  const text = read(file);
  expect(requirementsOf(text).filter((line) => line.startsWith(`tinker==${version} `))).toHaveLength(1);
  expect(text).toContain(`echo tinker==${version} | uv pip compile - `);
});

it("every command that installs them asks for the hashes, and builds nothing", () => {
  const commands = ["README.md", "install-python-sdk.mjs"]
    .flatMap((file) => read(file).split("\n"))
    .filter((line) => /requirements[\w.-]*\.txt/.test(line) && /pip|-r/.test(line));
  expect(commands.length).toBeGreaterThanOrEqual(3);
  expect(commands.filter((line) => !/--require-hashes.*--only-binary/.test(line))).toEqual([]);
});
