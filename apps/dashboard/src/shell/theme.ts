import { signal } from '@preact/signals';

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
  try {
    if (next === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, next);
  } catch {
    // The browser blocks its storage, so the choice lasts only until the user leaves the page.
  }
}

function chosen(): Theme {
  const { theme: set } = document.documentElement.dataset;
  return set === 'light' || set === 'dark' ? set : 'system';
}
