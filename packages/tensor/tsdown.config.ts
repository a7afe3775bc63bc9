import { fileURLToPath } from "node:url";
import { packageBuild } from "../../tooling/build/tsdown.mjs";

const sourceOf = (name: string): string => fileURLToPath(new URL(`src/tfjs/${name}.ts`, import.meta.url));

export default [
  ...[packageBuild(["src/index.ts", "src/loss-graph.ts", "src/tfjs.ts"])].flat(),
  // The same entry for Node, whose `require` takes no module that waits for another.
  ...[
    packageBuild(
      { "tfjs-sync": "src/tfjs.ts" },
      { replacedFiles: { [sourceOf("tf")]: sourceOf("tf-sync") }, isSecond: true },
    ),
  ].flat(),
];
