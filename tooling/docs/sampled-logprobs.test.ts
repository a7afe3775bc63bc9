import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "./snippets.js";

// standardcompletions/rfcs#11, togethercomputer/openapi#5: services differ in whether the log-probabilities of samples follow the
// temperature, and documents that do not say so, or say the opposite, end in wrong ratios. What the local server does is tested in
// packages/local/src/sampling/token-distribution.test.ts.
it.each([
  [
    "the type",
    "packages/types/src/records/sampling/sampling.ts",
    /\/\*\*([^*]*)\*\/\s+readonly logprobs\?: readonly number/,
  ],
  ["the method", "packages/client/src/sampling/sampling-client.ts", /`logprobs` \(`\[L\]`,([^)]*)\)/],
  ["the README of the client", "packages/client/README.md", /^(`sample` gives `logprobs` .*)$/m],
  ["the page of the protocol", "docs/protocol/sampling.md", /^\| `logprobs` \| (those .*)\|$/m],
])("%s says of which temperature the log-probabilities of samples are", (_what, file, place) => {
  const [, words] = place.exec(readFileSync(join(REPOSITORY, file), "utf8")) ?? [];
  expect(words).toMatch(/\btemperature 1\b.* without filters/);
  expect(words).not.toMatch(/temperature of the request/);
});
