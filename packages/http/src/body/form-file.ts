import { formatPath, ValidationError } from "@tinkex/base";
import { RequestBodyError } from "./streamed-body.js";

/** Content of a file: its bytes, a `Blob` (`await openAsBlob(path)` of `node:fs` reads as it sends), or a stream of known length. */
export type FileContent = Uint8Array | Blob | FileStream;

/** A file that is read while it is sent. */
export interface FileStream {
  /** All bytes of the stream. */
  readonly byteLength: number;
  /** A function that opens the stream, as often as the request is sent; or one that can be read a single time. */
  readonly stream: AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>);
}

/** One file of a form. */
export interface FormFile {
  /** Name of the field. */
  readonly name: string;
  readonly content: FileContent;
  /** @defaultValue that of a `File`, else `upload` */
  readonly filename?: string | undefined;
  /** @defaultValue that of a `Blob`, else `application/octet-stream` */
  readonly contentType?: string | undefined;
}

/** @throws ValidationError for a content that is none, such as a path */
export function checkFileContent(content: unknown, path: readonly (string | number)[]): void {
  const fault = contentFault(content);
  if (fault !== undefined) throw new ValidationError(`multipartBody: ${formatPath(path)}${fault}`, { path });
}

function contentFault(content: unknown): string | undefined {
  if (typeof content === "string") {
    return " must be bytes or a Blob, got a string; for a path give await openAsBlob(path) of node:fs";
  }
  if (content instanceof Uint8Array || content instanceof Blob) return undefined;
  if (!isFileStream(content))
    return ` must be bytes, a Blob, or { byteLength, stream }, got ${content === null ? "null" : typeof content}`;
  return Number.isSafeInteger(content.byteLength) && content.byteLength >= 0
    ? undefined
    : `.byteLength must be a whole number of bytes, got ${content.byteLength}`;
}

function isFileStream(content: unknown): content is FileStream {
  if (typeof content !== "object" || content === null) return false;
  if (!("byteLength" in content && typeof content.byteLength === "number" && "stream" in content))
    return false;
  const { stream } = content;
  return (
    typeof stream === "function" ||
    (typeof stream === "object" && stream !== null && Symbol.asyncIterator in stream)
  );
}

export function fileByteLength(content: FileContent): number {
  return content instanceof Blob ? content.size : content.byteLength;
}

/** Tells whether a file can be read only a single time. */
export function isReadOnce(content: FileContent): boolean {
  return "stream" in content && !(content instanceof Blob) && typeof content.stream !== "function";
}

/** Reads the bytes of a file. @throws RequestBodyError for a stream of another length than promised */
export async function* readFile({ content, name }: FormFile): AsyncGenerator<Uint8Array, void, undefined> {
  if (content instanceof Uint8Array) {
    yield content;
    return;
  }
  if (content instanceof Blob) {
    yield* content.stream();
    return;
  }
  let byteLength = 0;
  for await (const piece of typeof content.stream === "function" ? content.stream() : content.stream) {
    byteLength += piece.byteLength;
    if (byteLength > content.byteLength) break;
    yield piece;
  }
  if (byteLength === content.byteLength) return;
  const gave = byteLength > content.byteLength ? "more bytes" : `${byteLength} bytes`;
  throw new RequestBodyError(
    `the stream of the file ${JSON.stringify(name)} gave ${gave} instead of the ${content.byteLength} promised`,
  );
}
