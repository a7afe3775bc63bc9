import { writeFileSync } from "node:fs";
import { recordsPage } from "./records-page.js";

const page = new URL("../../docs/records.md", import.meta.url);
writeFileSync(page, recordsPage());
console.log("wrote docs/records.md");
