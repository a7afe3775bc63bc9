import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeBlocks } from "../docs/code-blocks.js";
import { type Snippet, snippetsOf } from "../docs/snippets.js";
import { REPOSITORY } from "../packaging/public-packages.js";

/** A page that a newcomer follows from top to bottom. */
export interface ReadmePage {
  /** Below the repository. */
  readonly page: string;
  /** What each of its `npm install` lines installs, in order. */
  readonly installs: readonly (readonly string[])[];
  readonly programs: readonly Snippet[];
}

/** The pages that are rehearsed; the first one's first install line must be all that its first program needs. */
export const README_PAGES: readonly ReadmePage[] = ["packages/tinkex/README.md", "README.md"]
  .filter((page) => existsSync(join(REPOSITORY, page)))
  .map(readPage);

function readPage(page: string): ReadmePage {
  const blocks = codeBlocks(readFileSync(join(REPOSITORY, page), "utf8"));
  return {
    page,
    installs: blocks.filter(({ language }) => language === "sh").flatMap(({ code }) => installsIn(code)),
    programs: snippetsOf(page),
  };
}

/** Gives the packages of every line such as `SETTING=1 npm install one two   # why`. */
export function installsIn(shell: string): readonly (readonly string[])[] {
  return shell.split("\n").flatMap((line) => {
    const [command = ""] = line.split("#");
    const [, names] = command.split("npm install ");
    return names === undefined
      ? []
      : [names.split(" ").filter((name) => name !== "" && !name.startsWith("-"))];
  });
}
