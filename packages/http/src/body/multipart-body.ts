import { randomUUID } from "node:crypto";
import { checkArray, checkObject, describeValue, ValidationError } from "@tinkex/base";
import { type FormValue, formFields } from "./form-fields.js";
import { checkFileContent, type FormFile, fileByteLength, isReadOnce, readFile } from "./form-file.js";
import type { StreamedBody } from "./streamed-body.js";

/** Content of a form. */
export interface MultipartForm {
  /** Strings; arrays and objects become fields named with brackets. They go before the files. */
  readonly fields?: { readonly [name: string]: FormValue } | undefined;
  readonly files?: readonly FormFile[] | undefined;
  /** Line that divides the parts; no part may hold it. @defaultValue a random one */
  readonly boundary?: string | undefined;
}

/** One part: its head, and its content's length and bytes. */
interface Part {
  readonly head: Uint8Array;
  readonly byteLength: number;
  readonly content: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Boundaries that RFC 2046 allows, without the space. */
const BOUNDARY = /^[\w'()+,./:=?-]{1,70}$/;
const LINE_END = new TextEncoder().encode("\r\n");

/**
 * Makes a body of `multipart/form-data` (RFC 7578, names escaped as browsers do), for the `body` of a call. Files are read while
 * they are sent. It can be sent again unless a file is a stream that is there only once.
 *
 * @throws ValidationError for a bad boundary, or a file that is none
 */
export function multipartBody(form: MultipartForm): StreamedBody {
  checkObject(form, "multipartBody: form", "{ fields: {}, files: [] }");
  const boundary = form.boundary ?? `tinkex-${randomUUID()}`;
  if (typeof boundary !== "string" || !BOUNDARY.test(boundary)) {
    throw new ValidationError(
      `multipartBody: boundary must be 1 to 70 letters, digits or '()+,-./:=?_, got ${describeValue(boundary)}`,
      { path: ["boundary"] },
    );
  }
  const files = form.files ?? [];
  checkArray(files, "multipartBody: files");
  for (const [index, file] of files.entries()) {
    checkObject(file, `multipartBody: files[${index}]`, '{ name: "file", content }');
    checkFileContent(file.content, ["files", index, "content"]);
  }
  if (form.fields !== undefined) checkObject(form.fields, "multipartBody: fields", '{ name: "value" }');
  const parts = [
    ...formFields(form.fields ?? {}).map(([name, text]) => fieldPart(boundary, name, text)),
    ...files.map((file) => filePart(boundary, file)),
  ];
  const end = encode(`--${boundary}--\r\n`);
  const byteLength = parts.reduce(
    (sum, part) => sum + part.head.byteLength + part.byteLength + LINE_END.byteLength,
    end.byteLength,
  );
  const isForOnce = files.some(({ content }) => isReadOnce(content));
  let hasOpened = false;
  return {
    contentType: `multipart/form-data; boundary=${/[^\w'+.-]/.test(boundary) ? `"${boundary}"` : boundary}`,
    byteLength,
    get isSpent() {
      return isForOnce && hasOpened;
    },
    async *open() {
      hasOpened = true;
      for (const part of parts) {
        yield part.head;
        yield* part.content();
        yield LINE_END;
      }
      yield end;
    },
  };
}

function fieldPart(boundary: string, name: string, text: string): Part {
  // A form's line ends are CR LF, whatever they were.
  const content = encode(text.replace(/\r\n|\r|\n/g, "\r\n"));
  const head = encode(`--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n`);
  return { head, byteLength: content.byteLength, content: () => [content] };
}

function filePart(boundary: string, file: FormFile): Part {
  const { content } = file;
  const blobType = content instanceof Blob && content.type !== "" ? content.type : undefined;
  const type = file.contentType ?? blobType ?? "application/octet-stream";
  if (/[^\x20-\x7e]/.test(type)) {
    throw new ValidationError(
      `multipartBody: contentType of the file ${JSON.stringify(file.name)} must be plain ASCII, got ${JSON.stringify(type)}`,
      {
        path: ["files"],
      },
    );
  }
  const filename = file.filename ?? nameOf(content) ?? "upload";
  const head = encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(file.name)}"; ` +
      `filename="${escapeName(filename)}"\r\nContent-Type: ${type}\r\n\r\n`,
  );
  return { head, byteLength: fileByteLength(content), content: () => readFile(file) };
}

/** A `File` is a `Blob` with a name; Node 20.18 has it, but not as a global in all of its builds. */
function nameOf(content: FormFile["content"]): string | undefined {
  return content instanceof Blob && "name" in content && typeof content.name === "string"
    ? content.name
    : undefined;
}

function escapeName(name: string): string {
  return name.replace(/\r\n|\r|\n/g, "%0D%0A").replaceAll('"', "%22");
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
