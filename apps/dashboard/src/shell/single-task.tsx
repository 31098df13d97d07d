import type { ComponentChildren } from 'preact';
import { SITE } from '../api/addresses.ts';
import { texts } from '../texts/en.ts';

/** Renders the frame, without navigation, of pages with a single task such as signing in. */
export function SingleTask({ children }: { children: ComponentChildren }) {
  return (
    <main class="single-task">
      <header class="single-task-head">
        <img src={`${SITE}static/icon.svg`} alt="" width="40" height="40" />
        <p>{texts.product}</p>
      </header>
      {children}
    </main>
  );
}
