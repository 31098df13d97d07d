import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { Button, Icon } from '../ui/index.ts';
import { useLater } from '../ui/use-later.ts';
import type { SearchDialog } from './search-dialog.tsx';

/** Opens the search over phones, sessions, people and pages. The key `/` opens it, too, unless the user is typing. */
export function SearchButton() {
  const [isOpen, setOpen] = useState(false);
  const [isNeeded, setNeeded] = useState(false);
  const Search = useLater(isNeeded, loadDialog);
  const open = () => {
    setNeeded(true);
    setOpen(true);
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, target, ctrlKey, metaKey, altKey } = event;
      if (key !== '/' || ctrlKey || metaKey || altKey || takesText(target)) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <Button class="search-button" aria-label={texts.shell.find} aria-keyshortcuts="/" onClick={open}>
        <Icon name="search" />
        <span>{texts.shell.find}</span>
        <kbd>{texts.shell.searchKey}</kbd>
      </Button>
      {Search !== undefined && <Search open={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}

/** @returns whether a key that is pressed there is text, or goes to a phone, or belongs to an open dialog */
function takesText(target: EventTarget | null): boolean {
  const place = 'input, textarea, select, [contenteditable], [role="application"], dialog';
  return target instanceof Element && target.closest(place) !== null;
}

const loadDialog = async (): Promise<typeof SearchDialog> =>
  (await import('./search-dialog.tsx')).SearchDialog;
