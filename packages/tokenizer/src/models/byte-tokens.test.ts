import { afterEach, expect, it, vi } from "vitest";
import { randomFrom } from "../testing/random-from.js";
import { byteTokens } from "./byte-tokens.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const nameOf = (byte: number) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
const ALL = Array.from({ length: 256 }, (_, byte): [string, number] => [nameOf(byte), 1000 - byte]);

it("gives the bytes of characters of every width, met before or not", () => {
  const ids = byteTokens(new Map(ALL));
  const random = randomFrom(5);
  const widths = [0x80, 0x800, 0xd800, 0x110000];
  const characters = Array.from({ length: 2_000 }, (_, at) => {
    const point = Math.floor(random() * (widths[at % 4] ?? 0));
    return point >= 0xd800 && point <= 0xdfff ? "\ufffd" : String.fromCodePoint(point);
  });
  for (const text of [...characters, ...characters, characters.join("")]) {
    expect(ids(text), JSON.stringify(text)).toEqual(Array.from(Buffer.from(text), (byte) => 1000 - byte));
  }
});

it("gives none where the token of a byte is missing", () => {
  const ids = byteTokens(new Map(ALL.filter(([name]) => name !== nameOf(0xa9))));
  expect([ids("é"), ids("é"), ids("ê")]).toEqual([undefined, undefined, [1000 - 0xc3, 1000 - 0xaa]]);
});

it("encodes a character once, however often it comes", () => {
  const encode = vi.spyOn(TextEncoder.prototype, "encode");
  const ids = byteTokens(new Map(ALL));
  for (let time = 0; time < 100; time += 1) ids(time % 2 === 0 ? "X" : "漢");
  expect(encode).toHaveBeenCalledTimes(2);
});
