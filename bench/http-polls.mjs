// What long polls that wait take in memory, in a process of its own: `node --expose-gc http-polls.mjs ORIGIN ours|plain`. Prints
// bytes of resident memory for each poll.
import { createTransport } from "@tinkex/http";
import { Pool } from "undici";

const [origin, side] = process.argv.slice(2);
const body = new TextEncoder().encode(JSON.stringify({ request_id: "0123456789abcdef" }));
const headers = { "content-type": "application/json", "x-api-key": "tml-bench" };

function opener() {
  if (side === "ours") {
    const transport = createTransport({ baseUrl: origin, apiKey: "tml-bench" });
    return () => transport.call({ operation: "retrieve_future", body });
  }
  const pool = new Pool(origin, { connections: null, headersTimeout: 0, bodyTimeout: 0 });
  return () => pool.request({ path: "/api/v1/retrieve_future", method: "POST", headers, body });
}

/** Opens so many more polls; the resident memory once they all stand. */
async function residentWith(open, more) {
  for (let i = 0; i < more; i += 1) open().catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  for (let i = 0; i < 3; i += 1) globalThis.gc();
  return process.memoryUsage().rss;
}

const open = opener();
// A first thousand grows the heap's own reserves, which is no cost of a poll.
const before = await residentWith(open, 1_000);
const after = await residentWith(open, 4_000);
process.stdout.write(String((after - before) / 4_000));
process.exit(0);
