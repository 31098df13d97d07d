import { caller } from '../../api/current-caller.ts';
import { texts } from '../../texts/en.ts';
import { Badge } from '../../ui/index.ts';
import type { Session } from './merge-sessions.ts';

/**
 * Shows the owner of the session. Marks the viewer's own sessions for Admins only, because Members see only their own
 * sessions.
 */
export function SessionOwner({ owner }: Pick<Session, 'owner'>) {
  if (owner === null) return <span class="soft">{texts.sessions.noOwner}</span>;
  const isOwn = caller.value.scopes.includes('admin') && owner.id === caller.value.id;
  return (
    <span class="session-owner">
      <span class="cut" title={owner.email}>
        {owner.email}
      </span>
      {isOwn && <Badge tone="own">{texts.sessions.yours}</Badge>}
    </span>
  );
}
