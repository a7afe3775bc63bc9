import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";

/** A call that changes a disk. A rename is one change of two folders: file systems with a journal keep it whole. */
export type DiskChange =
  | { readonly kind: "mkdir" | "remove"; readonly path: string }
  | { readonly kind: "write"; readonly path: string; readonly content: Uint8Array | string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  /** Puts the content of a file, or the names in a folder, on the disk from here on. */
  | { readonly kind: "sync"; readonly path: string };

/** A folder with its names as programs see them, and as the disk keeps them. */
class Folder {
  readonly seen = new Map<string, Folder | File>();
  readonly kept = new Map<string, Folder | File>();
}

class File {
  content: Uint8Array | string = "";
  isSynced = false;
}

interface NameChange {
  readonly folders: readonly Folder[];
  /** True once one of the folders was synced. */
  isKept: boolean;
  /** Puts the change into the names that the disk keeps. */
  keep(): void;
}

/**
 * Writes what a disk may hold when the power goes: of content and names all that was synced, of the rest what `survives` says. A
 * file whose content was not synced is whole or empty.
 *
 * @param changes - in the order of the calls
 * @param from - folder of the changes, there and empty before them
 * @param to - an empty folder
 */
export async function writeSurvivors(
  changes: readonly DiskChange[],
  { from, to, survives }: { readonly from: string; readonly to: string; survives(): boolean },
): Promise<void> {
  const root = new Folder();
  for (const change of replay(root, from, changes)) if (change.isKept || survives()) change.keep();
  await write(root, to, survives);
}

function replay(root: Folder, from: string, changes: readonly DiskChange[]): NameChange[] {
  const names: NameChange[] = [];
  const find = (path: string): Folder | File => {
    let found: Folder | File | undefined = root;
    for (const name of relative(from, path).split(sep).filter(Boolean)) {
      found = found instanceof Folder ? found.seen.get(name) : undefined;
    }
    if (found === undefined) throw new Error(`${path} must be there, before it is changed`);
    return found;
  };
  const folder = (path: string): Folder => {
    const found = find(path);
    if (found instanceof Folder) return found;
    throw new Error(`${path} must be a folder`);
  };
  const link = (path: string, node: Folder | File) => {
    const parent = folder(dirname(path));
    parent.seen.set(basename(path), node);
    return { parent, keep: () => void parent.kept.set(basename(path), node) };
  };
  const unlink = (path: string) => {
    const parent = folder(dirname(path));
    const node = find(path);
    parent.seen.delete(basename(path));
    const keep = () => {
      if (parent.kept.get(basename(path)) === node) parent.kept.delete(basename(path));
    };
    return { parent, node, keep };
  };
  for (const change of changes) {
    if (change.kind === "sync") {
      const node = find(change.path);
      if (node instanceof File) node.isSynced = true;
      else for (const name of names) name.isKept ||= name.folders.includes(node);
    } else if (change.kind === "rename") {
      const gone = unlink(change.path);
      const come = link(change.to, gone.node);
      const keep = () => {
        gone.keep();
        come.keep();
      };
      names.push({ folders: [gone.parent, come.parent], isKept: false, keep });
    } else if (change.kind === "remove") {
      const { parent, keep } = unlink(change.path);
      names.push({ folders: [parent], isKept: false, keep });
    } else {
      const node = change.kind === "mkdir" ? new Folder() : new File();
      if (node instanceof File && change.kind === "write") node.content = change.content;
      const { parent, keep } = link(change.path, node);
      names.push({ folders: [parent], isKept: false, keep });
    }
  }
  return names;
}

async function write(folder: Folder, path: string, survives: () => boolean): Promise<void> {
  await mkdir(path, { recursive: true });
  for (const [name, node] of folder.kept) {
    if (node instanceof Folder) await write(node, join(path, name), survives);
    else await writeFile(join(path, name), node.isSynced || survives() ? node.content : "");
  }
}
