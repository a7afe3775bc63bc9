// Reads a file of chats in a process of its own, and tells the most memory that it has had.
import { chatsFromJsonl } from "@tinkex/recipes";
import { maxRssKb } from "./max-rss.mjs";

let count = 0;
let letters = 0;
for await (const { messages } of chatsFromJsonl(process.argv[2] ?? "")) {
  count += 1;
  letters += messages[1]?.content.length ?? 0;
}
console.log(JSON.stringify({ count, letters, maxRssKb: maxRssKb() }));
