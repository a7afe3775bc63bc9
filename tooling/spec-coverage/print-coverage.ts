import { fileURLToPath } from "node:url";
import { coverage } from "./coverage.js";

for (const { page, total, tested, explained, open } of coverage(
  fileURLToPath(new URL("../..", import.meta.url)),
)) {
  console.log(
    `${page}: ${tested.length} of ${total} tested, ${explained.length} explained, ${open.length} open`,
  );
  if (explained.length > 0) console.log(`  explained: ${explained.join(", ")}`);
  if (open.length > 0) console.log(`  open: ${open.join(", ")}`);
}
