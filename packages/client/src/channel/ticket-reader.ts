import type { UntypedAPIFuture } from "@tinkex/types";
import { decodeJsonResponse } from "@tinkex/wire";

/** Reads the answer to a submission once, when the transport asks whether it is a ticket. */
export class TicketReader {
  /** Left out by a transport that takes the answer unread. */
  ticket: UntypedAPIFuture | undefined;

  readonly isReadable = (body: Uint8Array): boolean => {
    try {
      // Every operation is answered by this record.
      this.ticket = decodeJsonResponse("UntypedAPIFuture", body);
      return true;
    } catch {
      return false;
    }
  };
}
