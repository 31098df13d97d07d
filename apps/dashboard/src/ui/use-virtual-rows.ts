import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

export interface VirtualRows {
  /** Indexes of the rows that are in the document. */
  readonly rows: readonly number[];
  /** Height in pixels of the rows above those in the document. `after` is the height of the rows below them. */
  readonly before: number;
  readonly after: number;
  /** Function for the `ref` of each row, which measures the height of the row. */
  readonly measure: (element: Element | null) => void;
  scrollTo(index: number): void;
}

/**
 * Computes which rows of a long list are visible, so that only those need to be in the document.
 */
export function useVirtualRows(
  count: number,
  box: RefObject<HTMLElement | null>,
  estimate: number,
): VirtualRows {
  const [, draw] = useReducer((round: number) => round + 1, 0);
  const held = useRef<Virtualizer<HTMLElement, Element>>(undefined);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    overscan: 12,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => draw(undefined),
  };
  held.current ??= new Virtualizer(options);
  const virtualizer = held.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  const items = virtualizer.getVirtualItems();
  return {
    rows: items.map(({ index }) => index),
    before: items[0]?.start ?? 0,
    after: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
    measure: virtualizer.measureElement,
    scrollTo: (index) => virtualizer.scrollToIndex(index),
  };
}
