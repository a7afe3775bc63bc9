// Runs the pinned pnpm with the given arguments, for whoever has another pnpm or none.
import { pnpm } from "./pnpm.mjs";

process.exitCode = await pnpm(process.argv.slice(2));
