import type { ComponentChildren } from 'preact';
import { type Answer, call } from '../../api/client.ts';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Breakable } from '../../ui/breakable.tsx';
import {
  Button,
  type Column,
  ConfirmButton,
  EmptyState,
  PageHeader,
  ResourceTable,
  TimeAgo,
  timeColumn,
  toast,
  useConfirm,
} from '../../ui/index.ts';

type Agent = Answer<'listAgents'>[number];

/** Shows the agents with their latest activity and their sessions, and lets the user stop them. */
export function Page() {
  const agents = useResource((signal) => call('listAgents', { signal }));
  const stopped = (said: string) => {
    toast(said);
    agents.reload();
  };
  const [dialog, ask] = useConfirm(({ id, owner }: Agent) => ({
    title: texts.agents.stopTitle(owner.email),
    text: texts.agents.stopText,
    confirmLabel: texts.agents.stop,
    onConfirm: async () => {
      await call('endAgent', { params: { id } });
      stopped(texts.agents.stopped);
    },
  }));
  const stopAll = (
    <ConfirmButton
      label={texts.agents.stopAll}
      title={texts.agents.stopAllTitle}
      text={texts.agents.stopAllText}
      onConfirm={async () => {
        await call('endAgents');
        stopped(texts.agents.stoppedAll);
      }}
    />
  );
  return (
    <>
      <PageHeader
        title={texts.pages.agents}
        lead={texts.agents.lead}
        actions={isAtLeast(caller.value.role, 'Super admin') ? stopAll : undefined}
      />
      <section class="panel" aria-label={texts.agents.list}>
        <ResourceTable
          label={texts.agents.list}
          resource={agents}
          columns={columns(ask)}
          rowKey={({ id }) => id}
          empty={<EmptyState title={texts.agents.empty} text={texts.agents.emptyText} />}
        />
      </section>
      {dialog}
    </>
  );
}

function columns(onStop: (agent: Agent) => void): readonly Column<Agent>[] {
  const headers = texts.agents.columns;
  return [
    {
      id: 'owner',
      header: headers.owner,
      cell: ({ owner }) => <Breakable text={owner.email} />,
      order: ({ owner }) => owner.email,
    },
    { id: 'scopes', header: headers.scopes, cell: ({ scopes }) => <Breakable text={scopes.join(', ')} /> },
    { id: 'last', header: headers.last, cell: lastOf, order: ({ lastAt }) => lastAt },
    {
      id: 'sessions',
      header: headers.sessions,
      cell: sessionsOf,
      order: ({ sessions }) => sessions.length,
    },
    { id: 'limits', header: headers.limits, cell: limitsOf },
    timeColumn('expires', headers.expires, ({ expiresAt }) => expiresAt),
    {
      id: 'actions',
      header: headers.actions,
      cell: (agent) => (
        <Button aria-label={texts.agents.stopOf(agent.owner.email)} onClick={() => onStop(agent)}>
          {texts.agents.stop}
        </Button>
      ),
    },
  ];
}

function lastOf({ lastAt, lastTool }: Agent): ComponentChildren {
  if (lastAt === null || lastTool === null) return texts.agents.noTool;
  return (
    <>
      <Breakable text={lastTool} /> <TimeAgo at={lastAt} />
    </>
  );
}

function sessionsOf({ sessions }: Agent): string {
  return sessions.map(({ id, udid }) => udid ?? id).join(', ') || texts.agents.noSessions;
}

function limitsOf({ limits: { sessions, minutes }, minutesToday }: Agent): string {
  const { sessionsAtOnce, minutesOf, noLimits } = texts.agents;
  const parts = [
    ...(sessions === null ? [] : [sessionsAtOnce(sessions)]),
    ...(minutes === null ? [] : [minutesOf(minutesToday, minutes)]),
  ];
  return parts.join(', ') || noLimits;
}
