import { packageBuild } from "../../tooling/build/tsdown.mjs";

export default packageBuild(["src/index.ts", "src/testing.ts", "src/tfjs.ts", "src/command/main.ts"], {
  platform: "node",
});
