// The process in which the servers of one test file live. It ends when the channel to its parent does.
import type { Command, Notice, Reply } from "./control/messages.js";
import { HostileListener } from "./serve/hostile-listener.js";

const listeners = new Map<number, HostileListener>();
/** Requests that were told and may not yet be acted on, oldest first. */
const held = new Map<number, (() => void)[]>();
let lastServer = 0;

function tell(message: Reply | Notice): void {
  process.send?.(message);
}

async function listen({ id, options }: Command & { readonly ask: "listen" }): Promise<void> {
  lastServer += 1;
  const server = lastServer;
  held.set(server, []);
  const listener = await HostileListener.start(options, {
    onRequest(request, waiting, proceed) {
      held.get(server)?.push(proceed);
      tell({ tell: "request", server, request, waiting });
    },
    onOpened: (connection) => tell({ tell: "opened", server, connection }),
    onClosed: (connection) => tell({ tell: "closed", server, connection }),
  });
  listeners.set(server, listener);
  tell({ tell: "listening", id, server, port: listener.port, ca: listener.ca });
}

function listenerOf(server: number): HostileListener {
  const listener = listeners.get(server);
  if (listener === undefined) throw new Error(`there is no server ${server}`);
  return listener;
}

async function obey(command: Command): Promise<void> {
  switch (command.ask) {
    case "listen":
      await listen(command);
      break;
    case "proceed":
      held.get(command.server)?.shift()?.();
      break;
    case "ledger":
      tell({ tell: "ledger", id: command.id, entries: listenerOf(command.server).ledger });
      break;
    case "break_connections":
      listenerOf(command.server).breakConnections();
      tell({ tell: "done", id: command.id });
      break;
    case "close":
      await listenerOf(command.server).close();
      listeners.delete(command.server);
      held.delete(command.server);
      tell({ tell: "done", id: command.id });
      break;
  }
}

process.on("message", (command: Command) => {
  obey(command).catch((error: unknown) => {
    if (command.ask === "proceed") throw error;
    tell({ tell: "failed", id: command.id, message: error instanceof Error ? error.message : String(error) });
  });
});
process.on("disconnect", () => process.exit());
tell({ tell: "ready" });
