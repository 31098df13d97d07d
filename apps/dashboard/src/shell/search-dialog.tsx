import { useRef, useState } from 'preact/hooks';
import { call } from '../api/client.ts';
import { caller, isAtLeast } from '../api/current-caller.ts';
import { type Resource, useResource } from '../api/use-resource.ts';
import { texts } from '../texts/en.ts';
import { Dialog, EmptyState, ErrorState, SearchBox } from '../ui/index.ts';
import { allowedPages } from './navigation.tsx';
import { type Found, MOST, pagesFound, peopleFound, phonesFound, sessionsFound } from './search-found.ts';

interface SearchDialogProps {
  open: boolean;
  onClose(): void;
}

/** Searches phones, sessions, people and pages. The arrow keys move between the field and the results. */
export function SearchDialog({ open, onClose }: SearchDialogProps) {
  return (
    <Dialog open={open} title={texts.search.title} onClose={onClose}>
      <Search />
    </Dialog>
  );
}

function Search() {
  const [text, setText] = useState('');
  const part = useRef<HTMLDivElement>(null);
  const found = useResource((signal) => find(text.trim(), signal), [text.trim()]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const places = [...(part.current?.querySelectorAll<HTMLElement>('input, a') ?? [])];
    const at = places.indexOf(document.activeElement as HTMLElement);
    places[Math.max(0, Math.min(places.length - 1, at + step))]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the field and the links
    <div class="form" ref={part} onKeyDown={move}>
      <SearchBox label={texts.search.label} value={text} onSearch={setText} />
      <Results found={found} isAsked={text.trim() !== ''} />
    </div>
  );
}

type Groups = readonly (readonly [title: string, found: readonly Found[]])[];

function Results({ found, isAsked }: { found: Resource<Groups>; isAsked: boolean }) {
  if (!isAsked) return <p class="hint">{texts.search.hint}</p>;
  if (found.state === 'error') return <ErrorState error={found.error} onRetry={found.reload} />;
  const groups = (found.value ?? []).filter(([, each]) => each.length > 0);
  return (
    <div class="search-found" aria-busy={found.isLoading}>
      {groups.length === 0 && !found.isLoading && <EmptyState title={texts.lists.nothingFound} />}
      {groups.map(([title, each]) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          <ul class="search-results">
            {each.map(({ href, name, note }) => (
              <li key={`${href} ${name}`}>
                <a href={href}>
                  <span class="cut">{name}</span>
                  <span class="soft cut">{note}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

async function find(text: string, signal: AbortSignal): Promise<Groups> {
  if (text === '') return [];
  const search = text.slice(0, 200);
  const limit = String(MOST);
  const [devices, sessions, users] = await Promise.all([
    call('listDevices', { signal }),
    call('listSessions', { query: { search, limit }, signal }),
    isAtLeast(caller.value.role, 'Admin') ? call('listUsers', { query: { search, limit }, signal }) : [],
  ]);
  return [
    [texts.search.phones, phonesFound(devices, text)],
    [texts.search.sessions, sessionsFound(sessions, texts.sessions.unnamed)],
    [texts.search.people, peopleFound(users)],
    [texts.search.pages, pagesFound(allowedPages(), text)],
  ];
}
