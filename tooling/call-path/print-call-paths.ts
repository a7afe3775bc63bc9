// `pnpm --filter @tinkex-tooling/call-path print`: what one call enters, and what the client's published types hold.
// `--files` also lists the files of each call in the order in which they are first entered.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sizeOf } from "./call-path.js";
import { CALL_NAMES } from "./calls.js";
import { measureCalls } from "./measure-calls.js";
import { countDeclarations } from "./public-declarations.js";
import { ROOT } from "./relative-path.mjs";

const showsFiles = process.argv.includes("--files");
const paths = await measureCalls();

console.log("| call | files | functions | by package: files, functions |\n| --- | --- | --- | --- |");
for (const name of CALL_NAMES) {
  const { total, byPackage } = sizeOf(paths[name]);
  const parts = Object.entries(byPackage).sort(([a], [b]) => (a < b ? -1 : 1));
  const shown = parts.map(([part, { files, functions }]) => `${part} ${files}, ${functions}`).join("; ");
  console.log(`| ${name} | ${total.files} | ${total.functions} | ${shown} |`);
}
if (showsFiles) {
  for (const name of CALL_NAMES) {
    console.log(`\n${name}:`);
    for (const [index, file] of paths[name].filesInOrder.entries()) {
      const functions = paths[name].functions[file] ?? [];
      console.log(`${index + 1}. ${file}: ${functions.map((each) => each || "(no name)").join(", ")}`);
    }
  }
}

const declarations = join(ROOT, "packages", "client", "dist", "index.d.ts");
if (existsSync(declarations)) {
  const { total, internal, internalNames } = countDeclarations(readFileSync(declarations, "utf8"));
  console.log(
    `\n@tinkex/client's index.d.ts: ${total} lines, ${internal} internal; declared and not exported:`,
  );
  console.log(internalNames.join(", "));
} else {
  console.log("\n@tinkex/client is not built: run `pnpm build` to count the lines of its index.d.ts");
}
