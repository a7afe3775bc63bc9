import type { LedgerEntry } from "../ledger-entry.js";
import type { ListenOptions } from "../listen-options.js";
import type { SeenRequest } from "../seen-request.js";

/** What a test asks of the host's process; each is answered by a {@link Reply} with its number. */
export type Command =
  | { readonly ask: "listen"; readonly id: number; readonly options: ListenOptions }
  | { readonly ask: "close"; readonly id: number; readonly server: number }
  | { readonly ask: "break_connections"; readonly id: number; readonly server: number }
  | { readonly ask: "ledger"; readonly id: number; readonly server: number }
  /** The oldest request of that server that was told and not yet acted on may go on; has no reply. */
  | { readonly ask: "proceed"; readonly server: number };

/** An answer to a command. A server's number comes with `listen`. */
export type Reply =
  | {
      readonly tell: "listening";
      readonly id: number;
      readonly server: number;
      readonly port: number;
      readonly ca: string | undefined;
    }
  | { readonly tell: "done"; readonly id: number }
  | { readonly tell: "ledger"; readonly id: number; readonly entries: readonly LedgerEntry[] }
  | { readonly tell: "failed"; readonly id: number; readonly message: string };

/** What the host's process tells of its own accord. */
export type Notice =
  | { readonly tell: "ready" }
  | {
      readonly tell: "request";
      readonly server: number;
      readonly request: SeenRequest;
      readonly waiting: number;
    }
  | { readonly tell: "opened"; readonly server: number; readonly connection: number }
  | { readonly tell: "closed"; readonly server: number; readonly connection: number };
