import { ResponseError } from "@tinkex/base";

const MAX_DEPTH = 32;
const MAX_PART_BYTES = 255;
const MAX_NAME_BYTES = 1024;
/** Names that are devices on Windows, whatever follows the first dot. */
const DEVICES = new Set(["con", "prn", "aux", "nul", "conin$", "conout$"]);
const PORTS = ["com", "lpt"];
const FORBIDDEN = '<>:"\\|?*';
/** The record of a download that is done, beside the files. */
export const RECORD_NAME = ".tinkex-download.json";

/**
 * Names of the files of one directory. A name is refused that would lead out of it, that some system could not keep, or that another
 * one takes for the name of a file that is there.
 */
export class SafeNames {
  readonly #maxCount: number;
  /** By the name as a file system without case sees it. */
  readonly #seen = new Map<string, { readonly name: string; readonly isFolder: boolean }>();

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /**
   * Takes a name in, and gives its parts; none for the directory itself.
   *
   * @param shown - the name as messages may show it
   * @throws ResponseError
   */
  add(name: string, kind: "file" | "folder", shown: string): readonly string[] {
    const refuse = (why: string): never => {
      throw new ResponseError(`the checkpoint has ${shown}, ${why}, which is refused`);
    };
    if (name.startsWith("/")) refuse("an absolute path");
    const parts = name.split("/").filter((part) => part !== "" && part !== ".");
    if (kind === "file" && (parts.length === 0 || name.endsWith("/"))) refuse("a file without a name");
    if (parts.length > MAX_DEPTH) refuse(`more than ${MAX_DEPTH} folders deep`);
    if (Buffer.byteLength(name) > MAX_NAME_BYTES) refuse(`a name longer than ${MAX_NAME_BYTES} bytes`);
    for (const part of parts) {
      const fault = faultOf(part);
      if (fault !== undefined) refuse(fault);
    }
    let path = "";
    for (const [index, part] of parts.entries()) {
      path = path === "" ? part : `${path}/${part}`;
      const isLast = index === parts.length - 1;
      const isFolder = !isLast || kind === "folder";
      const key = folded(path);
      const there = this.#seen.get(key);
      if (there === undefined) {
        if (this.#seen.size === this.#maxCount) refuse(`one more than the ${this.#maxCount} of maxFiles`);
        this.#seen.set(key, { name: path, isFolder });
      } else if (there.name !== path)
        refuse("a name that differs from another in case or accents' form alone");
      else if (!there.isFolder || !isFolder) refuse("a name that is there already");
    }
    if (folded(parts[0] ?? "") === RECORD_NAME) refuse("the name of our own record");
    return parts;
  }
}

function faultOf(part: string): string | undefined {
  if (part === "..") return "a path that leads out of the directory";
  if (Buffer.byteLength(part) > MAX_PART_BYTES) return `a name longer than ${MAX_PART_BYTES} bytes`;
  for (const character of part) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return "a name with a control character";
    if (code >= 0xd800 && code <= 0xdfff) return "a name that is no text";
    if (FORBIDDEN.includes(character)) return "a name with a character that not every system allows";
  }
  if (part.endsWith(".") || part.endsWith(" ")) return "a name that ends in a dot or a space";
  const [stem = ""] = part.toLowerCase().split(".");
  const isPort =
    PORTS.includes(stem.slice(0, 3)) && stem.length === 4 && "0123456789¹²³".includes(stem.slice(3));
  return DEVICES.has(stem.trimEnd()) || isPort ? "the name of a device" : undefined;
}

/** The name as file systems see it that fold case and accents. */
function folded(path: string): string {
  return path.normalize("NFKC").toUpperCase().toLowerCase();
}
