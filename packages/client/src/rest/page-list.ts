import { ResponseError } from "@tinkex/base";

/** One place in a list, and the page that begins there. */
export interface PageSource<Page, Item, Place> {
  /** The method as its caller spells it, for messages. */
  readonly method: string;
  readonly first: Place;
  read(place: Place): Promise<Page>;
  itemsOf(page: Page): readonly Item[];
  /** Names an item, so that one that moved to the next page meanwhile is given once. */
  idOf(item: Item): string;
  /** Gives the place behind a page; `undefined` where there is no more. */
  next(page: Page, place: Place): Place | undefined;
  /** Tells whether an item is wanted, for filters that the server lacks. @defaultValue every item is */
  readonly isWanted?: ((item: Item) => boolean) | undefined;
}

/** A page, and the wanted ones of its items that no page before it had. */
export interface ReadPage<Item, Page> {
  readonly page: Page;
  readonly items: readonly Item[];
}

/**
 * A list on the server, read page by page as it is iterated; who leaves the loop early asks for no further page. Each iteration
 * begins anew.
 *
 * @example
 * for await (const run of service.rest.trainingRuns()) console.log(run.training_run_id);
 * for await (const { training_runs, cursor } of service.rest.trainingRuns().pages()) console.log(cursor.total_count);
 */
export class PageList<Item, Page> implements AsyncIterable<Item> {
  readonly #iterate: () => AsyncGenerator<ReadPage<Item, Page>, void, undefined>;

  /** @internal @param iterate - begins to read the pages from the first one */
  constructor(iterate: () => AsyncGenerator<ReadPage<Item, Page>, void, undefined>) {
    this.#iterate = iterate;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { items } of this.#iterate()) yield* items;
  }

  /** The pages as the server gives them; one that comes twice in a row is given once. Filters that the server lacks do not change them. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    for await (const { page } of this.#iterate()) yield page;
  }

  /** All items. Of a long list, iterate. */
  async toArray(): Promise<Item[]> {
    const all: Item[] = [];
    for await (const item of this) all.push(item);
    return all;
  }
}

/** Makes the list of a source. */
export function pageList<Page, Item, Place>(source: PageSource<Page, Item, Place>): PageList<Item, Page> {
  return new PageList(() => readPages(source));
}

/**
 * Times in a row that a page may come again. New items push a whole page on to the next place, behind which the rest of the list is;
 * a server that ignores the place gives the same page for ever.
 */
const MAX_REPEATS = 10;
/** Pages in a row that have no new item, and are not all the same. */
const MAX_FRUITLESS_PAGES = 100;

async function* readPages<Page, Item, Place>({
  method,
  first,
  read,
  itemsOf,
  idOf,
  next,
  isWanted,
}: PageSource<Page, Item, Place>): AsyncGenerator<ReadPage<Item, Page>, void, undefined> {
  const seen = new Set<string>();
  let idsBefore: readonly string[] = [];
  let repeats = 0;
  let fruitlessPages = 0;
  let place: Place | undefined = first;
  while (place !== undefined) {
    const page: Page = await read(place);
    const ids = itemsOf(page).map(idOf);
    const isRepeat = ids.length > 0 && isSameList(ids, idsBefore);
    const fresh = itemsOf(page).filter((item) => isFirst(idOf(item), seen));
    idsBefore = ids;
    repeats = isRepeat ? repeats + 1 : 0;
    fruitlessPages = fresh.length > 0 ? 0 : fruitlessPages + 1;
    if (repeats > MAX_REPEATS) return;
    if (fruitlessPages > MAX_FRUITLESS_PAGES) {
      throw new ResponseError(
        `${method}: the service gave ${fruitlessPages} pages in a row without a new item, and says that more come; ask again with larger pages`,
      );
    }
    if (!isRepeat) yield { page, items: isWanted === undefined ? fresh : fresh.filter(isWanted) };
    place = next(page, place);
  }
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** Tells whether an id comes for the first time, and notes it. */
function isFirst(id: string, seen: Set<string>): boolean {
  const isNew = !seen.has(id);
  seen.add(id);
  return isNew;
}
