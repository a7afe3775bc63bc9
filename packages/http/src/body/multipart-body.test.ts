import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import type { FormFile } from "./form-file.js";
import { type MultipartForm, multipartBody } from "./multipart-body.js";
import { RequestBodyError } from "./streamed-body.js";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function bytesOf(form: MultipartForm): Promise<Buffer> {
  const body = multipartBody(form);
  const pieces: Uint8Array[] = [];
  for await (const piece of body.open()) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  expect(whole.byteLength).toBe(body.byteLength);
  return whole;
}

async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const text of texts) yield encode(text);
}

describe("multipartBody", () => {
  it("transport 92: a list, a file and a given boundary make exactly these bytes", async () => {
    const form = {
      boundary: "6b7ba517decee4a450543ea6ae821c82",
      fields: { array: ["foo", "bar"] },
      files: [{ name: "file", content: encode("") }],
    };
    expect((await bytesOf(form)).toString()).toBe(
      [
        "--6b7ba517decee4a450543ea6ae821c82",
        'Content-Disposition: form-data; name="array[]"',
        "",
        "foo",
        "--6b7ba517decee4a450543ea6ae821c82",
        'Content-Disposition: form-data; name="array[]"',
        "",
        "bar",
        "--6b7ba517decee4a450543ea6ae821c82",
        'Content-Disposition: form-data; name="file"; filename="upload"',
        "Content-Type: application/octet-stream",
        "",
        "",
        "--6b7ba517decee4a450543ea6ae821c82--",
        "",
      ].join("\r\n"),
    );
    expect(multipartBody(form).contentType).toBe(
      "multipart/form-data; boundary=6b7ba517decee4a450543ea6ae821c82",
    );
  });

  it("transport 92: a text in place of a file is refused, with the way to read a path", () => {
    const files = [{ name: "file", content: "/etc/hosts" as unknown as Uint8Array }];
    expect(() => multipartBody({ files })).toThrow(ValidationError);
    expect(() => multipartBody({ files })).toThrow(
      "multipartBody: files[0].content must be bytes or a Blob, got a string; for a path give await openAsBlob(path)",
    );
  });

  it.each<[string, object, string]>([
    [
      "nothing",
      { content: undefined },
      "files[0].content must be bytes, a Blob, or { byteLength, stream }, got undefined",
    ],
    [
      "null",
      { content: null },
      "files[0].content must be bytes, a Blob, or { byteLength, stream }, got null",
    ],
    [
      "an object",
      { content: { byteLength: 3 } },
      "files[0].content must be bytes, a Blob, or { byteLength, stream }, got object",
    ],
    [
      "a stream of a negative length",
      { content: { byteLength: -1, stream: () => pieces() } },
      "files[0].content.byteLength must be a whole number of bytes, got -1",
    ],
    [
      "a type with a line break",
      { content: encode(""), contentType: "a/b\r\nx: y" },
      'contentType of the file "f" must be plain ASCII, got "a/b\\r\\nx: y"',
    ],
  ])("refuses a file that is %s", (_, file, message) => {
    const make = (): unknown => multipartBody({ files: [{ name: "f", ...file } as FormFile] });
    expect(make).toThrow(ValidationError);
    expect(make).toThrow(`multipartBody: ${message}`);
  });

  it("is what any reader of forms reads, whatever the names and contents hold", async () => {
    const folder = temporaryDirectory();
    const path = join(folder, "a.txt");
    await writeFile(path, "from disk");
    const form = multipartBody({
      fields: { 'na"me\n': "line\nend ☃", n: { deep: [1, true, null, undefined], empty: "" } },
      files: [
        { name: "blob", content: await openAsBlob(path, { type: "text/plain" }), filename: 'ü".txt' },
        { name: "file", content: new File(["abc"], "own name.bin") },
        { name: "stream", content: { byteLength: 5, stream: () => pieces("st", "rea") } },
      ],
    });
    const parsed = await new Response(ReadableStream.from(form.open()), {
      headers: { "content-type": form.contentType },
    }).formData();
    const entries = await Promise.all(
      [...parsed].map(async ([name, value]) =>
        typeof value === "string"
          ? [name, value]
          : [name, value.name, value.type, Buffer.from(await value.arrayBuffer()).toString()],
      ),
    );
    expect(entries).toEqual([
      ['na"me\r\n', "line\r\nend ☃"],
      ["n[deep][]", "1"],
      ["n[deep][]", "true"],
      ["n[empty]", ""],
      ["blob", 'ü".txt', "text/plain", "from disk"],
      ["file", "own name.bin", "application/octet-stream", "abc"],
      ["stream", "upload", "application/octet-stream", "strea"],
    ]);
  });

  it("a boundary with signs that a header quotes is quoted there; a bad one is refused", () => {
    expect(multipartBody({ boundary: "a/b" }).contentType).toBe('multipart/form-data; boundary="a/b"');
    expect(() => multipartBody({ boundary: "a\r\nb" })).toThrow(ValidationError);
    expect(multipartBody({}).contentType).not.toBe(multipartBody({}).contentType);
  });

  it.each([
    ["fewer", pieces("ab"), /gave 2 bytes instead of the 3 promised/],
    ["more", pieces("ab", "cd"), /gave more bytes instead of the 3 promised/],
  ])("a stream of %s bytes than promised is an error", async (_, stream, message) => {
    const form = multipartBody({ files: [{ name: "f", content: { byteLength: 3, stream } }] });
    const read = async (): Promise<void> => {
      for await (const piece of form.open()) expect(piece).toBeInstanceOf(Uint8Array);
    };
    expect(form.isSpent).toBe(false);
    const reading = read();
    await expect(reading).rejects.toThrow(RequestBodyError);
    await expect(reading).rejects.toThrow(message);
    expect(form.isSpent).toBe(true);
  });
});
