import { texts } from '../../texts/en.ts';
import { Badge, Panel, TimeText } from '../../ui/index.ts';
import { removalName } from '../../ui/removal-name.ts';
import type { Session } from './merge-sessions.ts';

const TONES = { pending: 'warn', cleaned: 'good', kept: 'plain', failed: 'bad' } as const;

/**
 * Shows how the phone was cleaned after a session, and what was removed (contract 17.3). Names of files come from the
 * phone, so they are rendered only as text.
 */
export function CleaningAfter({ clean: { state, removed, at } }: { clean: NonNullable<Session['clean']> }) {
  const words = texts.care.after;
  return (
    <Panel
      title={words.title}
      lead={
        <>
          <Badge tone={TONES[state]}>{words.states[state]}</Badge> {words.texts[state]}{' '}
          {at !== null && <TimeText at={at} />}
        </>
      }
    >
      {state === 'cleaned' && removed.length === 0 && <p class="soft">{words.none}</p>}
      {removed.length > 0 && (
        <ul class="removed" aria-label={words.removed}>
          {removed.map((name) => (
            <li key={name}>{removalName(name)}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
