import { signal } from '@preact/signals';
import { inStorage } from '../api/storage.ts';

/**
 * Colour theme of the dashboard; `system` follows the browser. `public/static/theme.js` applies the stored choice
 * before the first paint, so that no page flashes in the wrong colours.
 */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'svc-theme';

export const theme = signal<Theme>(chosen());

export function chooseTheme(next: Theme): void {
  theme.value = next;
  const { dataset } = document.documentElement;
  if (next === 'system') delete dataset.theme;
  else dataset.theme = next;
  inStorage((storage) => (next === 'system' ? storage.removeItem(KEY) : storage.setItem(KEY, next)));
}

function chosen(): Theme {
  const { theme: set } = document.documentElement.dataset;
  return set === 'light' || set === 'dark' ? set : 'system';
}
