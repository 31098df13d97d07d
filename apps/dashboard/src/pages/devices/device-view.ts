import { useState } from 'preact/hooks';
import { inStorage } from '../../api/storage.ts';

/** `list` has one line for each phone; `grid` has a tile with a picture of its screen. */
export type View = 'list' | 'grid';

/** Number of phones from which on the page shows a list unless the user has chosen a view. */
const LIST_FROM = 9;

/** Key of the user's choice in the local storage of the browser. */
const KEY = 'svc-device-view';

/** @returns the view that the user has chosen, or the one that suits the number of phones */
export function viewOf(chosen: string | null, phones: number): View {
  if (chosen === 'list' || chosen === 'grid') return chosen;
  return phones >= LIST_FROM ? 'list' : 'grid';
}

/** @returns the current view, and a function that changes it and stores the choice in this browser */
export function useView(phones: number): [view: View, choose: (view: View) => void] {
  const [chosen, setChosen] = useState(() => inStorage((storage) => storage.getItem(KEY)) ?? null);
  const choose = (view: View) => {
    setChosen(view);
    inStorage((storage) => storage.setItem(KEY, view));
  };
  return [viewOf(chosen, phones), choose];
}
