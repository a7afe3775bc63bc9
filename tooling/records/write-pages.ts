import { writeFileSync } from "node:fs";
import { endpointsPage } from "./endpoints-page.js";
import { recordsPage } from "./records-page.js";

const pages = { "records.md": recordsPage, "protocol/endpoints.md": endpointsPage };
for (const [path, page] of Object.entries(pages)) {
  writeFileSync(new URL(`../../docs/${path}`, import.meta.url), page());
  console.log(`wrote docs/${path}`);
}
