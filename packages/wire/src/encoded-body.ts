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
