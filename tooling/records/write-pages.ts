import { writeFileSync } from "node:fs";
import { endpointsPage } from "./endpoints-page.js";
import { recordDescriptionsFile } from "./record-descriptions.js";
import { recordsPage } from "./records-page.js";

const files = {
  "docs/records.md": recordsPage,
  "docs/protocol/endpoints.md": endpointsPage,
  "packages/types/src/descriptions/data/record-descriptions.ts": recordDescriptionsFile,
};
for (const [path, write] of Object.entries(files)) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), write());
  console.log(`wrote ${path}`);
}
