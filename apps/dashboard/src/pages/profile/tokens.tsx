import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  EmptyState,
  LastUse,
  Panel,
  ResourceTable,
  TokenEnd,
  timeColumn,
  toast,
} from '../../ui/index.ts';
import { useRevoke } from '../../ui/revoke-dialog.tsx';
import { NewToken } from './new-token.tsx';

const { tokens: words } = texts.profile;
type Token = Answer<'listTokens'>[number];

export function Tokens() {
  const tokens = useResource((signal) => call('listTokens', { signal }));
  const [dialog, ask] = useRevoke(({ id, name }: Token) => ({
    title: words.revokeTitle(name),
    text: words.revokeText,
    confirmLabel: words.revoke,
    onRevoke: async (cascades) => {
      await call('revokeToken', { params: { id }, query: cascades ? { cascade: 'true' } : {} });
      toast(words.revoked(name));
      tokens.reload();
    },
  }));
  return (
    <Panel title={words.title} lead={words.lead} actions={<NewToken onMade={tokens.reload} />}>
      <ResourceTable
        label={words.title}
        resource={tokens}
        columns={columns(ask)}
        rowKey={(token) => token.id}
        empty={<EmptyState title={words.emptyTitle} text={words.empty} />}
      />
      {dialog}
    </Panel>
  );
}

function columns(onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    { id: 'name', header: words.name, cell: ({ name }) => name, order: ({ name }) => name },
    { id: 'scopes', header: words.scopes, cell: ({ scopes }) => scopes.join(', ') },
    timeColumn('created', words.created, ({ createdAt }) => createdAt),
    {
      id: 'used',
      header: words.used,
      cell: (token) => <LastUse {...token} />,
      order: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      id: 'expires',
      header: words.expires,
      order: ({ expiresAt }) => expiresAt,
      cell: ({ expiresAt, expired }) =>
        expired ? <Badge tone="bad">{words.expired}</Badge> : <TokenEnd at={expiresAt} />,
    },
    {
      id: 'actions',
      header: words.actions,
      cell: (token) => (
        <Button aria-label={words.revokeWhat(token.name)} onClick={() => onRevoke(token)}>
          {words.revoke}
        </Button>
      ),
    },
  ];
}
