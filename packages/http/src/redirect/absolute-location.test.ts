import { answer } from "@tinkex-tooling/hostile-server";
import { describe, expect, it } from "vitest";
import { play, transportTo } from "../testing/test-transport.js";

describe("a redirect that is returned", () => {
  // RFC 9110, section 10.2.2
  it.each([
    ["/files/a.tar?sig=x", "<origin>/files/a.tar?sig=x"],
    ["a.tar", "<origin>/base/api/v1/training_runs/r/checkpoints/weights/1/a.tar"],
    ["?sig=x", "<origin>/base/api/v1/training_runs/r/checkpoints/weights/1/archive?sig=x"],
    ["//store.example/a.tar", "http://store.example/a.tar"],
    ["https://store.example:443/a b?sig='x'", "https://store.example:443/a b?sig='x'"],
    ["http://[", "http://["],
  ])("says its place as a whole URL: %s", async (location, expected) => {
    const server = await play(answer(302, "", { location }));
    const response = await transportTo(server, { baseUrl: `${server.url}/base` }).call({
      operation: "get_checkpoint_archive",
      pathParameters: { run: "r", kind: "weights", name: "1" },
    });
    expect(response.headers.location).toBe(expected.replace("<origin>", server.url));
  });
});
