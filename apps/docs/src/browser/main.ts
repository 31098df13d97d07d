import './docs.css';
import MiniSearch, { type SearchResult } from 'minisearch';
import { SEARCH_OPTIONS, type Section } from '../search-options.ts';

/** Maximum number of results that are shown. */
const SHOWN = 12;

const field = document.querySelector('#search') as HTMLInputElement;
const found = document.querySelector('#found') as HTMLElement;
const status = found.querySelector('p') as HTMLElement;
const list = found.querySelector('ul') as HTMLElement;
const { site = './', index = '' } = field.dataset;

let loading: Promise<MiniSearch<Section>> | undefined;

/** Loads the index when it is first needed. A failed attempt is repeated by the next one. */
function search(): Promise<MiniSearch<Section>> {
  loading ??= load().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<MiniSearch<Section>> {
  const response = await fetch(index);
  if (!response.ok) throw new Error(`${response.status}`);
  return MiniSearch.loadJSON<Section>(await response.text(), SEARCH_OPTIONS);
}

async function show(): Promise<void> {
  const text = field.value.trim();
  if (text === '') {
    found.hidden = true;
    return;
  }
  try {
    const results = (await search()).search(text);
    // The user may have typed more in the meantime.
    if (field.value.trim() !== text) return;
    list.replaceChildren(...results.slice(0, SHOWN).map(itemOf));
    status.textContent = results.length === 0 ? `Nothing found for “${text}”` : summary(results.length);
  } catch {
    list.replaceChildren();
    status.textContent = 'The search could not be loaded. Type again to retry.';
  }
  found.hidden = false;
}

function summary(count: number): string {
  if (count > SHOWN) return `The best ${SHOWN} of ${count} results`;
  return count === 1 ? '1 result' : `${count} results`;
}

function itemOf({ heading, page, address }: SearchResult): HTMLElement {
  const link = document.createElement('a');
  link.href = site + address;
  link.append(heading);
  if (page !== '') {
    const of = document.createElement('small');
    of.append(page);
    link.append(of);
  }
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/** Moves the focus between the field and the results. */
function move(by: 1 | -1): void {
  const stops = [field, ...list.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement as HTMLInputElement);
  stops[at + by]?.focus();
}

field.addEventListener('focus', () => void search().catch(() => undefined), { once: true });
field.addEventListener('input', () => void show());
found.addEventListener('click', () => {
  found.hidden = true;
});
document.addEventListener('click', ({ target }) => {
  if (!(target as Element).closest('search')) found.hidden = true;
});
document.addEventListener('keydown', (event) => {
  const isInSearch = (event.target as Element).closest('search') !== null;
  if (event.key === '/' && !isInSearch) field.focus();
  else if (!isInSearch) return;
  else if (event.key === 'ArrowDown') move(1);
  else if (event.key === 'ArrowUp') move(-1);
  else if (event.key === 'Enter' && event.target === field) list.querySelector('a')?.click();
  else if (event.key === 'Escape') found.hidden = true;
  else return;
  event.preventDefault();
});
