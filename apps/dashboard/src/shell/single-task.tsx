import type { ComponentChildren } from 'preact';
import { brand } from '../api/brand.ts';

/** Renders the frame, without navigation, of pages with a single task such as signing in. */
export function SingleTask({ children }: { children: ComponentChildren }) {
  return (
    <main class="single-task">
      <header class="single-task-head">
        <img src={brand.value.logo} alt="" width="40" height="40" />
        <p>{brand.value.name}</p>
      </header>
      {children}
    </main>
  );
}
