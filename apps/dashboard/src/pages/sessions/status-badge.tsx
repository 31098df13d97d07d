import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/index.ts';
import type { Session } from './merge-sessions.ts';

const TONES = { running: 'warn', ended: 'plain', passed: 'good', failed: 'bad' } as const;

/**
 * Shows the status of a session, and whether it is still running, because a test may report its result before its
 * session ends.
 */
export function StatusBadge({
  session: { status, endedAt },
}: {
  session: Pick<Session, 'status' | 'endedAt'>;
}) {
  const runs = endedAt === null && status !== 'running';
  return (
    <span class="status">
      <Badge tone={TONES[status]}>{texts.sessions.statuses[status]}</Badge>
      {runs && <small class="whole-words soft">{texts.sessions.stillRunning}</small>}
    </span>
  );
}
