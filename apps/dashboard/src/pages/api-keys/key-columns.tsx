import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import { Button, type Column, LastUse, TimeAgo, TokenEnd } from '../../ui/index.ts';
import type { ApiKey } from './api-key.ts';

interface Actions {
  readonly onChangeLimit: (key: ApiKey) => void;
  readonly onRevoke: (key: ApiKey) => void;
}

export function columns({ onChangeLimit, onRevoke }: Actions): readonly Column<ApiKey>[] {
  const headers = texts.apiKeys.columns;
  return [
    {
      id: 'name',
      header: headers.name,
      cell: ({ name, kind, createdAt }) => (
        <span class="two-lines">
          <span>{name}</span>
          <span class="soft">
            {texts.apiKeys.kinds[kind]} {texts.apiKeys.madeAt} <TimeAgo at={createdAt} />
          </span>
        </span>
      ),
      order: ({ name }) => name,
      width: '15rem',
    },
    {
      id: 'owner',
      header: headers.owner,
      cell: ({ owner, team }) => (
        <span class="two-lines">
          <span>
            <Breakable text={owner.email} />
          </span>
          {team !== null && <span class="soft">{team.name}</span>}
        </span>
      ),
      order: ({ owner }) => owner.email,
    },
    {
      id: 'scopes',
      header: headers.scopes,
      cell: ({ scopes }) => <span class="whole-words">{scopes.join(', ')}</span>,
      width: '6rem',
    },
    {
      id: 'limit',
      header: headers.limit,
      cell: (key) => (
        <Button
          kind="quiet"
          aria-label={texts.apiKeys.limitOf(key.rateLimit, key.name)}
          onClick={() => onChangeLimit(key)}
        >
          {texts.apiKeys.perMinute(key.rateLimit)}
        </Button>
      ),
      order: ({ rateLimit }) => rateLimit,
      width: '6rem',
    },
    {
      id: 'lastUsed',
      header: headers.lastUsed,
      cell: (key) => <LastUse {...key} />,
      order: ({ lastUsedAt }) => lastUsedAt,
      width: '6.25rem',
    },
    {
      id: 'expires',
      header: headers.expires,
      cell: ({ expiresAt }) => <TokenEnd at={expiresAt} />,
      order: ({ expiresAt }) => expiresAt,
      width: '6.75rem',
    },
    {
      id: 'actions',
      header: headers.actions,
      cell: (key) => (
        <Button aria-label={texts.apiKeys.revokeWhat(key.name)} onClick={() => onRevoke(key)}>
          {texts.apiKeys.revoke}
        </Button>
      ),
    },
  ];
}
