import { packageBuild } from "../../tooling/build/tsdown.mjs";

// Unbundled: the programs are there to be read and copied, and find their data by their own place.
export default packageBuild(
  [
    "src/quickstart.ts",
    "src/chat-fine-tune.ts",
    "src/rl.ts",
    "src/custom-loss.ts",
    "src/loss-graph.ts",
    "src/checkpoints.ts",
    "src/full-flow.ts",
    "src/survive-restart.ts",
    "src/reward-model.ts",
    "src/trace-step.ts",
    "src/supervised-chat.ts",
    "src/rl-pig-latin.ts",
    "src/supervised-then-rl.ts",
    "src/rl-two-turns.ts",
    "src/tool-use.ts",
    "src/preferences.ts",
    "src/distillation.ts",
    "src/compare-checkpoints.ts",
    "src/many-prompts.ts",
    "src/crash-recovery.ts",
  ],
  {
    unbundle: true,
    platform: "node",
  },
);
