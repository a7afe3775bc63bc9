// The built local server in a process of its own: prints its address, and ends when its standard input does.
import { startLocalServer } from "@tinkex/local";

const server = await startLocalServer({ seed: 1 });
console.log(server.url);
process.stdin.on("end", () => void server.close());
process.stdin.resume();
