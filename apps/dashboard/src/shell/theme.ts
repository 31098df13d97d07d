import { signal } from '@preact/signals';

/** `system` follows the browser. `public/static/theme.js` applies the choice before the first paint. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'svc-theme';

export const theme = signal<Theme>(chosen());

export function chooseTheme(next: Theme): void {
  theme.value = next;
  const { dataset } = document.documentElement;
  if (next === 'system') delete dataset.theme;
  else dataset.theme = next;
  try {
    if (next === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // Storage is blocked, so the choice lasts until the page is left.
  }
}

function chosen(): Theme {
  const { theme: set } = document.documentElement.dataset;
  return set === 'light' || set === 'dark' ? set : 'system';
}
