// `npm test`: installs and builds what is missing, then runs every test. Further arguments go to vitest.
import { prepare } from "./prepare.mjs";
import { summary } from "./test-results.mjs";
import { runVitest } from "./vitest.mjs";

await prepare();
const counts = await runVitest("test-results", process.argv.slice(2));
console.log(summary(counts));
process.exitCode = counts.failed === 0 ? 0 : 1;
