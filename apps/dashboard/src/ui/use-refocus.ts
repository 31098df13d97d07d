import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface Refocus {
  /** Part of the page whose first button gets the focus. */
  readonly part: RefObject<HTMLDivElement | null>;
  /** Announces that an action of the user is about to remove the button that has the focus. */
  expect(): void;
}

/**
 * Keeps the focus in a part of the page when an action replaces the button with which the user started it. Otherwise
 * keyboard users would have to begin at the top of the page again. Changes without such an action never move the focus.
 * @param state value that changes when the part is replaced
 */
export function useRefocus(state: unknown): Refocus {
  const part = useRef<HTMLDivElement>(null);
  const isExpected = useRef(false);
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    const button = part.current?.querySelector<HTMLElement>('.button');
    if (!isExpected.current || !isLost || button == null) return;
    isExpected.current = false;
    button.focus();
  }, [state]);
  return {
    part,
    expect: () => {
      isExpected.current = true;
    },
  };
}
