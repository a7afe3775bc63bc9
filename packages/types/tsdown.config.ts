import { packageBuild } from "../../tooling/build/tsdown.mjs";

export default packageBuild(["src/index.ts", "src/endpoints.ts", "src/descriptions.ts"], {
  isPure: true,
  bundled: "zod",
});
