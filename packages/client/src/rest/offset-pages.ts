import { describeValue, ValidationError } from "@tinkex/base";
import type { Cursor } from "@tinkex/types";
import { type PageList, type PageSource, pageList } from "./page-list.js";
import type { RestContext } from "./rest-context.js";

/** The part of a list that one call gives. */
export interface PageOptions {
  /** Most items. */
  readonly limit?: number | undefined;
  /** Items before the first one. @defaultValue 0 */
  readonly offset?: number | undefined;
}

/** Options of walking a whole list. */
export interface WalkOptions {
  /** Items that are asked for at a time. */
  readonly pageSize?: number | undefined;
}

/** One page by its place. */
export interface OffsetPage {
  readonly limit: number;
  readonly offset: number;
}

/** @throws ValidationError for a number that is none of a page's */
export function checkPage(method: string, options: PageOptions, defaultLimit: number): OffsetPage {
  const { limit = defaultLimit, offset = 0 } = options;
  checkCount(method, "limit", limit, 0);
  checkCount(method, "offset", offset, 0);
  return { limit, offset };
}

/** @throws ValidationError */
export function checkCount(method: string, name: string, value: unknown, least: number): void {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return;
  throw new ValidationError(
    `${method}: ${name} must be an integer of ${least} or more, got ${describeValue(value)}`,
    {
      path: [name],
    },
  );
}

/** The place of a page, and how long the list was when the one before it was read. */
interface OffsetPlace {
  readonly offset: number;
  readonly totalCount: number | undefined;
}

/**
 * Makes a list whose pages are told apart by offset. A list that does not say its length ends with the first page that is not full.
 * One that has become shorter has moved up by so many items at most, and its walk goes as many back: no item that is still there is
 * left out when others are deleted meanwhile.
 *
 * @param pageSize - items a page
 */
export function offsetPages<Page, Item>(
  pageSize: number,
  source: OffsetSource<Page, Item>,
): PageList<Item, Page> {
  const { readPage, itemsOf, cursorOf } = source;
  return pageList<Page, Item, OffsetPlace>({
    ...source,
    first: { offset: 0, totalCount: undefined },
    read: ({ offset }) => readPage({ limit: pageSize, offset }),
    next: (page, { offset, totalCount: before }) => {
      const count = itemsOf(page).length;
      const totalCount = cursorOf(page)?.total_count;
      const hasShrunk = before !== undefined && totalCount !== undefined && totalCount < before;
      if (hasShrunk && offset + count > 0) {
        return { offset: Math.max(0, offset - (before - totalCount)), totalCount };
      }
      const behind = offset + count;
      const hasMore = totalCount === undefined ? count >= pageSize : behind < totalCount;
      return count > 0 && hasMore ? { offset: behind, totalCount } : undefined;
    },
  });
}

/** The reads of a list by offset. */
interface OffsetSource<Page, Item>
  extends Pick<PageSource<Page, Item, OffsetPlace>, "method" | "itemsOf" | "idOf" | "isWanted"> {
  readPage(page: OffsetPage): Promise<Page>;
  cursorOf(page: Page): Cursor | undefined;
}

/** Says in the log that a filter costs the reading of every page. */
export function noteLocalFilter({ logger }: RestContext, method: string, filter: string): void {
  logger.info(`${method}: ${filter} is applied here, as the service has no such filter: every page is read`);
}
