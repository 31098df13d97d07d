import { useEffect, useState } from 'preact/hooks';
import { pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { type Answer, call } from '../../api/client.ts';
import { useResource } from '../../api/use-resource.ts';
import { useReloadOn } from '../../live/use-live.ts';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  Button,
  type Column,
  EmptyState,
  PageHeader,
  ResourceTable,
  timeColumn,
  toast,
  useConfirm,
} from '../../ui/index.ts';
import { NodeLog } from './node-log.tsx';

type Node = Answer<'listNodes'>[number];

/** Nodes report every 10 s, so the page loads the list as often while it is visible. */
const RELOAD_MS = 10_000;

/** Shows the nodes of this hub, and lets Admins remove a node that has no sessions (contract 8). */
export function Page() {
  const nodes = useResource((signal) => call('listNodes', { signal }));
  const hub = useResource((signal) => call('authOptions', { signal }));
  const [logOf, setLogOf] = useState<string>();
  const [dialog, ask] = useConfirm((node: Node) => ({
    title: texts.nodes.removeTitle(node.name),
    text: texts.nodes.removeText,
    confirmLabel: texts.nodes.remove,
    onConfirm: async () => {
      await remove(node);
      toast(texts.nodes.removed);
      nodes.reload();
    },
  }));
  useReloadOn(['device_new', 'device_online', 'device_offline'], nodes.reload);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') nodes.reload();
    }, RELOAD_MS);
    return () => clearInterval(timer);
  }, [nodes.reload]);
  return (
    <>
      <PageHeader title={texts.pages.nodes} lead={texts.nodes.lead} />
      <section class="panel" aria-label={texts.nodes.list}>
        <ResourceTable
          label={texts.nodes.list}
          resource={nodes}
          columns={columns({ leave: ask, showLog: setLogOf }, hub.value?.version)}
          rowKey={({ name }) => name}
          empty={<EmptyState title={texts.nodes.empty} text={texts.nodes.emptyText} />}
        />
      </section>
      <NodeLog name={logOf} onClose={() => setLogOf(undefined)} />
      {dialog}
    </>
  );
}

async function remove({ name }: Node): Promise<void> {
  try {
    await call('removeNode', { params: { name } });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'conflict') throw texts.nodes.inUse;
    throw error;
  }
}

interface NodeActions {
  leave: (node: Node) => void;
  showLog: (name: string) => void;
}

function columns({ leave, showLog }: NodeActions, hubVersion: string | undefined): readonly Column<Node>[] {
  const headers = texts.nodes.columns;
  return [
    {
      id: 'name',
      header: headers.name,
      order: ({ name }) => name,
      width: '12rem',
      cell: ({ name, url }) => (
        <a href={`${url}/svc/`} aria-label={texts.nodes.openOf(name)}>
          {name}
        </a>
      ),
    },
    {
      id: 'state',
      header: headers.state,
      order: ({ status }) => status,
      cell: ({ status }) => (
        <Badge tone={status === 'online' ? 'good' : 'warn'}>{texts.nodes.states[status]}</Badge>
      ),
    },
    {
      id: 'version',
      header: headers.version,
      order: ({ version }) => version,
      cell: ({ version }) => <span class="whole-words">{versionText(version, hubVersion)}</span>,
    },
    {
      id: 'phones',
      header: headers.phones,
      order: ({ devices }) => devices,
      cell: ({ name, devices }) => (
        <a
          href={`${pageAddress('devices')}?${new URLSearchParams({ node: name })}`}
          aria-label={texts.nodes.phonesOf(devices, name)}
        >
          {devices}
        </a>
      ),
    },
    {
      id: 'sessions',
      header: headers.sessions,
      cell: ({ sessions }) => sessions,
      order: ({ sessions }) => sessions,
    },
    timeColumn('last', headers.last, ({ lastSeenAt }) => lastSeenAt),
    timeColumn('since', headers.since, ({ registeredAt }) => registeredAt),
    {
      id: 'actions',
      header: headers.actions,
      cell: (node) => (
        <div class="page-actions">
          <Button aria-label={texts.nodes.log.openOf(node.name)} onClick={() => showLog(node.name)}>
            {texts.nodes.log.open}
          </Button>
          <Button aria-label={texts.nodes.removeOf(node.name)} onClick={() => leave(node)}>
            {texts.nodes.remove}
          </Button>
        </div>
      ),
    },
  ];
}

function versionText(version: string, hubVersion: string | undefined): string {
  return hubVersion === undefined || version === hubVersion ? version : texts.nodes.otherVersion(version);
}
