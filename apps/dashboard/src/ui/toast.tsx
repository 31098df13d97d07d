import { signal } from '@preact/signals';

interface Message {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 6_000;

const messages = signal<readonly Message[]>([]);
let last = 0;

/**
 * Shows a success message, which screen readers announce and which disappears automatically. Errors are not shown this
 * way, but beside the action that failed.
 */
export function toast(text: string): void {
  last += 1;
  const id = last;
  messages.value = [...messages.value.slice(-2), { id, text }];
  setTimeout(() => {
    messages.value = messages.value.filter((message) => message.id !== id);
  }, SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.value.map(({ id, text }) => (
        <p key={id} class="toast">
          {text}
        </p>
      ))}
    </div>
  );
}
