import { useEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts/en.ts';
import { Button } from './button.tsx';

const SAID_MS = 2_000;

/**
 * Copies the text to the clipboard. Falls back to `execCommand` on `http://` pages, where browsers offer no clipboard
 * API.
 */
async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.className = 'off-screen';
    const place = document.querySelector('dialog[open]') ?? document.body;
    place.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}

/** Button that copies a value. `what` names the value for screen readers, as in "Copy access key". */
export function CopyButton({ value, what }: { value: string; what: string }) {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const press = async (event: MouseEvent) => {
    const button = event.currentTarget as HTMLElement;
    await copy(value);
    button.focus();
    setCopied(true);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setCopied(false), SAID_MS);
  };
  return (
    <Button
      class="copy-button"
      onClick={press}
      aria-label={copied ? texts.common.copiedWhat(what) : texts.common.copyWhat(what)}
    >
      <span aria-live="polite">{copied ? texts.common.copied : texts.common.copy}</span>
    </Button>
  );
}

/** Shows a value of one line with a button that copies the value. */
export function CopyText({ value, label }: { value: string; label: string }) {
  return (
    <span class="copy-text">
      <code>{value}</code>
      <CopyButton value={value} what={label} />
    </span>
  );
}

/** Shows a secret with a note that it is shown only once. */
export function SecretOnce({ label, value }: { label: string; value: string }) {
  return (
    <div class="secret-once">
      <p class="secret-label">{label}</p>
      <CopyText value={value} label={label} />
      <p class="hint">{texts.common.shownOnce}</p>
    </div>
  );
}
