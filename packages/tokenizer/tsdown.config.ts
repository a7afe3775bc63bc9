import { packageBuild } from "@tinkex-tooling/build/tsdown";

export default packageBuild(["src/index.ts", "src/node.ts"]);
