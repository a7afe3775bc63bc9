/** A body ready to be sent. */
export interface EncodedBody {
  readonly body: Uint8Array<ArrayBuffer>;
  /** Goes into the `Content-Type` header. */
  readonly contentType: string;
  /** Goes into the `Content-Encoding` header, when there is one. */
  readonly contentEncoding?: "zstd";
}

export const JSON_TYPE = "application/json";
export const PROTOBUF_TYPE = "application/x-protobuf";

/** Whether a `Content-Type` or `Accept` header names protobuf; parameters and case do not matter. */
export function namesProtobuf(header: string | undefined): boolean {
  return header?.toLowerCase().includes(PROTOBUF_TYPE) ?? false;
}
