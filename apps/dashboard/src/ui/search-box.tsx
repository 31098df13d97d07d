import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Milliseconds without typing after which `onSearch` is called. */
const PAUSE_MS = 250;

interface SearchBoxProps {
  label: string;
  value: string;
  /** Called with the text after a pause in typing, because a search may send a request. */
  onSearch: (text: string) => void;
}

export function SearchBox({ label, value, onSearch }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  const reported = useRef(value);
  // Another control, such as a button that clears all filters, may change the text.
  useEffect(() => {
    if (value.trim() === reported.current.trim()) return;
    reported.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    if (typed === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = typed;
      latest.current(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <label class="search-box">
      <Icon name="search" />
      <input
        class="input"
        type="search"
        aria-label={label}
        placeholder={label}
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
    </label>
  );
}
