import type { ComponentChildren } from 'preact';

/** Colour of a badge. `own` marks something that belongs to the viewer. */
export type Tone = 'good' | 'bad' | 'warn' | 'own' | 'plain';

/** Shows a state as a word. The colour only supports the word, so that the state is clear without colours. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
