/** Yields the result of `describe` for each item, when it is requested. */
export function* mapped<Item, Shown>(
  items: Iterable<Item>,
  describe: (item: Item) => Shown,
): Generator<Shown, void, undefined> {
  for (const item of items) yield describe(item);
}
