// `npm start`: installs and builds what is missing, then runs the quickstart in this very process.
import { prepare } from "./prepare.mjs";

await prepare();
await import("../../apps/examples/dist/quickstart.js");
