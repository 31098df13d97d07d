/**
 * Yields the result of `describe` for each item, when it is requested. An undefined item, which marks a step of a read,
 * stays undefined.
 */
export function* mapped<Item, Shown>(
  items: Iterable<Item | undefined>,
  describe: (item: Item) => Shown,
): Generator<Shown | undefined, void, undefined> {
  for (const item of items) yield item === undefined ? undefined : describe(item);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Yields a JSON array in texts, one for each item. */
export function* jsonArray(items: Iterable<unknown>): Generator<string, void, undefined> {
  let before = '[';
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}
