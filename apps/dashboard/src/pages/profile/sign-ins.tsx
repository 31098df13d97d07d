import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  Panel,
  ResourceTable,
  timeColumn,
  toast,
  useConfirm,
} from '../../ui/index.ts';
import { browserOf } from './browser-of.ts';

const { signIns: words } = texts.profile;
type SignIn = Answer<'listSignIns'>[number];

export function SignIns() {
  const signIns = useResource((signal) => call('listSignIns', { signal }));
  const [dialog, ask] = useConfirm(({ id, userAgent, current }: SignIn) => ({
    title: words.endTitle(browserOf(userAgent) ?? words.thisBrowser),
    text: current ? words.endThisText : words.endText,
    confirmLabel: words.end,
    onConfirm: async () => {
      await call('endSignIn', { params: { id } });
      toast(words.ended);
      signIns.reload();
    },
  }));
  return (
    <Panel title={words.title} lead={words.lead}>
      <ResourceTable label={words.title} resource={signIns} columns={columns(ask)} rowKey={(row) => row.id} />
      {dialog}
    </Panel>
  );
}

function columns(onEnd: (row: SignIn) => void): Column<SignIn>[] {
  return [
    {
      id: 'browser',
      header: words.browser,
      cell: ({ userAgent, current }) => (
        <>
          <span title={userAgent ?? undefined}>{browserOf(userAgent) ?? words.unknown}</span>{' '}
          {current && <Badge tone="good">{words.current}</Badge>}
        </>
      ),
      order: ({ userAgent }) => browserOf(userAgent) ?? null,
    },
    timeColumn('created', words.created, ({ createdAt }) => createdAt),
    timeColumn('seen', words.seen, ({ lastSeenAt }) => lastSeenAt),
    timeColumn('expires', words.expires, ({ expiresAt }) => expiresAt),
    {
      id: 'actions',
      header: words.actions,
      cell: (row) => <Button onClick={() => onEnd(row)}>{words.end}</Button>,
    },
  ];
}
