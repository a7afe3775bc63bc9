import { expect, it } from "vitest";
import { nearestName } from "./nearest-name.js";

const names = ["temperature", "top_k", "top_p", "max_tokens", "seed", "stop"];

it.each([
  ["temprature", "temperature"],
  ["maxTokens", "max_tokens"],
  ["TOP_K", "top_k"],
  ["sede", "seed"],
  ["otp_k", "top_k"],
  ["beams", undefined],
  ["x", undefined],
  ["", undefined],
])("%s is meant to be %s", (name, expected) => {
  expect(nearestName(name, names)).toBe(expected);
});
