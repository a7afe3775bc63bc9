import { join } from "node:path";
import { buildSite } from "./build-site.mjs";
import { serveSite } from "./serve-site.mjs";

const folder = join(import.meta.dirname, "dist");
await buildSite(folder);
const { url } = await serveSite(folder, Number(process.env.PORT ?? 0));
console.log(`open ${url} in a browser; Ctrl-C ends`);
