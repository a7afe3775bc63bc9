// `pnpm --filter @tinkex-tooling/style print`: every place that departs from docs/style.md, and the counts; arguments are words that
// a line must hold, such as a package or a rule. `run update` lowers the committed counts to those found; where code has moved from
// one package to another, `run update --raise` lets counts rise too.
import { changesBetween, countFindings, describeChange, readBaseline, writeBaseline } from "./baseline.js";
import { checkSources } from "./check-sources.js";

const args = process.argv.slice(2);
const words = args.filter((word) => !word.startsWith("--"));
const findings = checkSources();
const counts = countFindings(findings);

if (args.includes("--update")) {
  const risen = changesBetween(readBaseline(), counts).filter(({ committed, found }) => found > committed);
  if (risen.length > 0 && !args.includes("--raise")) {
    for (const change of risen) console.error(describeChange(change));
    process.exitCode = 1;
  } else {
    writeBaseline(counts);
    console.log("wrote tooling/style/baseline.json");
  }
} else {
  for (const { file, line, rule, text } of findings) {
    const printed = `${file}:${line} ${rule}: ${text.replaceAll(/\s+/g, " ")}`;
    if (words.every((word) => printed.includes(word))) console.log(printed);
  }
  console.log(JSON.stringify(counts, null, 2));
}
