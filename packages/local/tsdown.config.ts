import { packageBuild } from "../../tooling/build/tsdown.mjs";

export default packageBuild(
  [
    "src/index.ts",
    "src/engine.ts",
    "src/serve.ts",
    "src/testing.ts",
    "src/command/main.ts",
    "src/compute/engine-worker.ts",
  ],
  { platform: "node", bundled: "zod" },
);
