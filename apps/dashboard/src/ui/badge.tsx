import type { ComponentChildren } from 'preact';

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** A word about a state. The word says it; the colour only helps. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge badge-${tone}`}>{children}</span>;
}
