import { describe, expect, it } from "vitest";
import { ZstdFrames } from "./zstd-frames.js";

/** What Node 22's encoder made of `{"tags":["a"]}`, and of 100,000 spaces and nothing. */
const SAMPLES: Readonly<Record<string, string>> = {
  "with its size": "28b52ffd200e7100007b2274616773223a5b2261225d7d",
  "with a checksum": "28b52ffd240e7100007b2274616773223a5b2261225d7de1fc9147",
  "without a size": "28b52ffd00007100007b2274616773223a5b2261225d7d",
  "of repeated blocks": "28b52ffda0a086010055000010202001009b8639c002",
  "of nothing": "28b52ffd2000010000",
  "to be skipped": "502a4d1803000000aabbcc",
};

function isWhole(data: Uint8Array, chunkBytes: number): boolean {
  const frames = new ZstdFrames();
  for (let start = 0; start < data.length; start += chunkBytes)
    frames.add(data.subarray(start, start + chunkBytes));
  return frames.isWhole;
}

describe("ZstdFrames", () => {
  it.each(Object.entries(SAMPLES))("a frame %s is whole at its end and nowhere before", (_, hex) => {
    const data = Buffer.from(hex, "hex");
    for (const chunkBytes of [1, 2, 7, 1000]) {
      expect(isWhole(data, chunkBytes)).toBe(true);
      for (let length = 0; length < data.length; length++) {
        expect(isWhole(data.subarray(0, length), chunkBytes), `${length} bytes`).toBe(false);
      }
    }
  });

  it("frames may follow each other", () => {
    const all = Buffer.concat(Object.values(SAMPLES).map((hex) => Buffer.from(hex, "hex")));
    expect(isWhole(all, 5)).toBe(true);
    expect(isWhole(all.subarray(0, -1), 5)).toBe(false);
    expect(isWhole(Buffer.concat([all, Buffer.of(0x28)]), 5)).toBe(false);
  });

  it("what is no zstd is never whole", () => {
    expect(isWhole(Buffer.from('{"tags":["a"]}'), 3)).toBe(false);
    expect(isWhole(Buffer.alloc(100), 100)).toBe(false);
  });
});
