// The other end of http.bench.ts, in a process of its own: reads the body, answers with a small JSON, or never.
import { createServer } from "node:http";

const server = createServer((request, response) => {
  let byteLength = 0;
  request.on("data", (chunk) => {
    byteLength += chunk.length;
  });
  request.on("end", () => {
    if (request.url.endsWith("/retrieve_future")) return;
    response.setHeader("content-type", "application/json");
    response.end(`{"byteLength":${byteLength}}`);
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit(0));
