import type { ComponentChildren } from 'preact';

/** `own` marks something that belongs to the viewer. */
export type Tone = 'good' | 'bad' | 'warn' | 'own' | 'plain';

/** A state as a word. The colour only supports the word. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
