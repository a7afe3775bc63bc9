import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./versions.mjs";

/** Files that decide what is installed. */
const INSTALL_INPUTS = ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"];
/** Files and folders that decide what is built, at the root and in each package. */
const BUILD_INPUTS = ["turbo.json", "tsconfig.base.json", "tooling/build"];
const PACKAGE_INPUTS = ["package.json", "tsdown.config.ts", "tsconfig.json", "src"];

const workspaceFolders = ["packages", "apps", "tooling"].flatMap((group) =>
  readdirSync(join(ROOT, group), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${group}/${entry.name}`),
);

/** Path, size and time of every file below `path`, which is cheaper than reading them. @param {string} path @param {string[]} lines */
function collect(path, lines) {
  const absolute = join(ROOT, path);
  if (!existsSync(absolute)) return;
  const stat = statSync(absolute);
  if (!stat.isDirectory()) {
    lines.push(`${path} ${stat.size} ${stat.mtimeMs}`);
    return;
  }
  for (const name of readdirSync(absolute).sort()) {
    if (name !== "node_modules" && !name.endsWith(".test.ts")) collect(`${path}/${name}`, lines);
  }
}

/** @param {readonly string[]} paths */
function digest(paths) {
  const lines = [process.versions.node];
  for (const path of paths) collect(path, lines);
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

const manifests = workspaceFolders.map((folder) => `${folder}/package.json`);
const builtFolders = workspaceFolders.filter((folder) => existsSync(join(ROOT, folder, "tsdown.config.ts")));

/** Two things that are done once and remembered: `inputs` decide whether they must be done again, `outputs` must exist. */
const STAMPS = {
  install: { inputs: [...INSTALL_INPUTS, ...manifests], outputs: ["node_modules/.modules.yaml"] },
  build: {
    inputs: [
      ...BUILD_INPUTS,
      ...builtFolders.flatMap((folder) => PACKAGE_INPUTS.map((name) => `${folder}/${name}`)),
    ],
    outputs: builtFolders.map((folder) => `${folder}/dist`),
  },
};

/** @param {keyof typeof STAMPS} name */
const stampFile = (name) => join(ROOT, ".cache", `${name}.stamp`);

/** Whether `name` was done for the files as they are now. @param {keyof typeof STAMPS} name */
export function isFresh(name) {
  const { inputs, outputs } = STAMPS[name];
  if (!existsSync(stampFile(name)) || outputs.some((path) => !existsSync(join(ROOT, path)))) return false;
  return readFileSync(stampFile(name), "utf8") === digest(inputs);
}

/** Remembers that `name` is done for the files as they are now. @param {keyof typeof STAMPS} name */
export function markFresh(name) {
  mkdirSync(dirname(stampFile(name)), { recursive: true });
  writeFileSync(stampFile(name), digest(STAMPS[name].inputs));
}
