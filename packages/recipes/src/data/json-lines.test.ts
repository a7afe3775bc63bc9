import { temporaryDirectory } from "@tinkex-tooling/testing";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { readDataset } from "./dataset.js";
import { chatsFromJsonl } from "./json-lines.js";

function fileOf(text: string): string {
  const path = join(temporaryDirectory(), "chats.jsonl");
  writeFileSync(path, text);
  return path;
}
const chat = (content: string) => ({ messages: [{ role: "user", content: "Hi" }, { role: "assistant", content }] });

it("cookbook 14: reads chats with a byte order mark, Windows line ends, blank lines and no end of the last line", async () => {
  const lines = [chat("a é"), chat("b")].map((line) => JSON.stringify(line));
  const path = fileOf(`\uFEFF${lines[0]}\r\n\r\n  \n${lines[1]}`);
  expect(await readDataset(chatsFromJsonl(path), "chats")).toEqual([chat("a é"), chat("b")]);
});

it("cookbook 14: takes weights and tools as OpenAI's files have them", async () => {
  const parameters = { type: "object", properties: { city: { type: "string" } } };
  const call = { id: "1", type: "function", function: { name: "weather", arguments: "{}" } };
  const line = {
    messages: [
      { role: "user", content: "Rain?" },
      { role: "assistant", content: null, tool_calls: [call], weight: 0 },
    ],
    tools: [{ type: "function", function: { name: "weather", parameters } }],
  };
  const [read] = await readDataset(chatsFromJsonl(fileOf(`${JSON.stringify(line)}\n`)), "chats");
  expect(read).toEqual({
    messages: [line.messages[0], { role: "assistant", content: "", tool_calls: [call], weight: 0 }],
    tools: [{ name: "weather", description: "", parameters }],
  });
});

it("cookbook 14: names all bad lines by their numbers, once the whole file was read", async () => {
  const bad = ["{", "[]", '{"text": 1}', '{"messages": []}', '{"messages": [{"content": "x"}]}', '{"messages": [{"role": "user"}]}'];
  const path = fileOf([JSON.stringify(chat("a")), ...bad, JSON.stringify(chat("b"))].join("\n"));
  const read: unknown[] = [];
  const reading = (async () => {
    for await (const one of chatsFromJsonl(path)) read.push(one);
  })();
  await expect(reading).rejects.toThrow(
    /has 6 bad lines; line 2: .*; line 3: must be an object with messages, got an array; write .* around it; line 4: "messages" must .*; line 5: .*; line 6: messages\[0\]\.role must be a string; line 7: messages\[0\]\.content must be/,
  );
  expect(read).toEqual([chat("a"), chat("b")]);
  const many = fileOf("{}\n".repeat(25));
  await expect(readDataset(chatsFromJsonl(many), "chats")).rejects.toThrow(/has 25 bad lines; .*; and 5 more$/);
});

it("says of an array, of chats or of messages, on lines or over several, what to write in its place", async () => {
  const reading = (text: string) => readDataset(chatsFromJsonl(fileOf(text)), "chats");
  await expect(reading(JSON.stringify([chat("a"), chat("b")], null, 2))).rejects.toThrow(
    /has 1 bad line; line 1: begins a JSON array of several lines; write each chat on a line of its own, without commas$/,
  );
  await expect(reading(`[${JSON.stringify(chat("a"))},\n${JSON.stringify(chat("b"))}]`)).rejects.toThrow(/has 1 bad line; line 1: begins/);
  await expect(reading(JSON.stringify([chat("a")]))).rejects.toThrow("must be one chat, got an array of chats; write each on a line");
  await expect(reading(JSON.stringify(chat("a").messages))).rejects.toThrow('got an array; write {"messages": […]} around it');
});

it("names the folder that is no file", async () => {
  const folder = temporaryDirectory();
  await expect(readDataset(chatsFromJsonl(folder), "chats")).rejects.toThrow(
    `chatsFromJsonl: path must be a file that can be read, got ${JSON.stringify(folder)} (EISDIR`,
  );
});

it("names the field that was meant, where a slip would change what is trained on, and leaves others to the renderer", async () => {
  const line = (more: object) => ({ messages: [{ role: "user", content: "Hi" }, { role: "assistant", content: "a", ...more }] });
  const slips = [line({ wieght: 0 }), line({ weights: 0 }), { mesages: [] }, { prompt: "a", completion: "b" }];
  const path = fileOf(slips.map((slip) => JSON.stringify(slip)).join("\n"));
  await expect(readDataset(chatsFromJsonl(path), "chats")).rejects.toThrow(
    /has 4 bad lines; line 1: messages\[1\]: unknown field "wieght", did you mean "weight"\?; line 2: .*"weights", did you mean "weight"\?; line 3: .*did you mean "messages"\?; line 4: .*; give prompts with completions to sft/,
  );
  const other = line({ refusal: null, annotations: [], audio: null });
  expect(await readDataset(chatsFromJsonl(fileOf(JSON.stringify(other))), "chats")).toEqual([other]);
  const own = line({ id: 7, metadata: {}, context: "a shop", comment: "kind", intent: "greet", rule: 1, game: "go", tool_call: null });
  expect(await readDataset(chatsFromJsonl(fileOf(JSON.stringify(own))), "chats")).toEqual([own]);
});

it("cookbook 14: a line of many pieces of the file is put together once", async () => {
  const joined = vi.spyOn(Buffer, "concat");
  onTestFinished(() => joined.mockRestore());
  const content = "é".repeat(1_000_000);
  const path = fileOf(JSON.stringify(chat(content)));
  const [read] = await readDataset(chatsFromJsonl(path), "chats");
  expect(read?.messages[1]?.content).toBe(content);
  // Each piece put behind those before it would be a copy for each.
  expect(joined.mock.calls.map(([parts]) => parts.length)).toEqual([expect.toSatisfy((count: number) => count > 9)]);
});

it.each([
  ["little-endian UTF-16 with its mark", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("{}\n", "utf16le")])],
  ["UTF-16 without a mark", Buffer.from('{"messages": []}\n', "utf16le")],
])("names a file in %s for what it is", async (_, bytes) => {
  const path = join(temporaryDirectory(), "chats.jsonl");
  writeFileSync(path, bytes);
  await expect(readDataset(chatsFromJsonl(path), "chats")).rejects.toThrow(/must be a file of UTF-8/);
});

it.each([
  [[{ function: { name: "a" } }], "messages[0].tool_calls[0].function must have a name, and arguments as a string"],
  [[{ function: { name: "a", arguments: "{" } }], "messages[0].tool_calls[0].function.arguments must be JSON"],
  [{}, "messages[0].tool_calls must be an array"],
])("names calls of tools that no renderer can write", async (tool_calls, message) => {
  const path = fileOf(JSON.stringify({ messages: [{ role: "assistant", content: "a", tool_calls }] }));
  await expect(readDataset(chatsFromJsonl(path), "chats")).rejects.toThrow(message);
});

it("cookbook 14: names lines of another encoding, of which Python refuses the file, and reads letters that lie across pieces", async () => {
  const path = join(temporaryDirectory(), "chats.jsonl");
  // Each letter has two bytes, so that pieces of an even length begin within one.
  const long = `x${"é".repeat(100_000)}`;
  writeFileSync(
    path,
    Buffer.concat([
      Buffer.from(`${JSON.stringify(chat(long))}\n`),
      Buffer.from(`${JSON.stringify(chat("café"))}\n`, "latin1"),
      Buffer.from(JSON.stringify(chat("a sign \uFFFD that was written"))),
    ]),
  );
  const read: unknown[] = [];
  const reading = (async () => {
    for await (const one of chatsFromJsonl(path)) read.push(one);
  })();
  await expect(reading).rejects.toThrow("has 1 bad line; line 2: must be UTF-8; save the file in that encoding");
  expect(read).toEqual([chat(long), chat("a sign \uFFFD that was written")]);
});

it.each(["utf16le", "utf16be"])("cookbook 14: refuses a whole file of %s at its beginning", async (encoding) => {
  const bytes = Buffer.from(`${JSON.stringify(chat("a"))}\n`, "utf16le");
  const path = join(temporaryDirectory(), "chats.jsonl");
  writeFileSync(path, encoding === "utf16le" ? bytes : bytes.swap16());
  await expect(readDataset(chatsFromJsonl(path), "chats")).rejects.toThrow("is of another encoding");
});
