import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Length of the pause in typing after which the results are requested. */
const PAUSE_MS = 250;

interface SearchBoxProps {
  label: string;
  value: string;
  /** Called after a pause in typing, because it may send a request. */
  onSearch: (text: string) => void;
}

export function SearchBox({ label, value, onSearch }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => latest.current(typed), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
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
