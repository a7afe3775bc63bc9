import type { TransportCall } from "@tinkex/base";
import type { RequestBody } from "./body/streamed-body.js";

/** A call whose body may also be streamed, such as one of {@link multipartBody}. */
export interface TinkexCall extends Omit<TransportCall, "body"> {
  readonly body?: RequestBody;
}
