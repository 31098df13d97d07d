import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Answer, call } from '../../api/client.ts';
import { caller, isAtLeast } from '../../api/current-caller.ts';
import { useResource } from '../../api/use-resource.ts';
import { mountPage } from '../../shell/mount-page.tsx';
import { texts } from '../../texts/en.ts';
import {
  Button,
  type Column,
  ConfirmDialog,
  EmptyState,
  PageHeader,
  ResourceTable,
  TimeAgo,
  timeColumn,
  toast,
} from '../../ui/index.ts';

type Agent = Answer<'listAgents'>[number];

/** Shows the agents with their latest activity and their sessions, and lets the user stop them. */
function AgentsPage() {
  const agents = useResource((signal) => call('listAgents', { signal }));
  const [isStoppingAll, setStoppingAll] = useState(false);
  const stop = async (work: Promise<unknown>, said: string): Promise<void> => {
    await work.then(
      () => toast(said),
      () => toast(texts.agents.notStopped),
    );
    agents.reload();
  };
  const stopAll = (
    <Button kind="danger" onClick={() => setStoppingAll(true)}>
      {texts.agents.stopAll}
    </Button>
  );
  const stopOne = (id: string) => void stop(call('endAgent', { params: { id } }), texts.agents.stopped);
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
          columns={columns(stopOne)}
          rowKey={({ id }) => id}
          empty={<EmptyState title={texts.agents.empty} text={texts.agents.emptyText} />}
        />
      </section>
      <ConfirmDialog
        open={isStoppingAll}
        title={texts.agents.stopAllTitle}
        text={texts.agents.stopAllText}
        confirmLabel={texts.agents.stopAll}
        danger
        onConfirm={async () => {
          await call('endAgents');
          toast(texts.agents.stoppedAll);
          agents.reload();
        }}
        onClose={() => setStoppingAll(false)}
      />
    </>
  );
}

function columns(stop: (id: string) => void): readonly Column<Agent>[] {
  const headers = texts.agents.columns;
  return [
    {
      id: 'owner',
      header: headers.owner,
      cell: ({ owner }) => owner.email,
      order: ({ owner }) => owner.email,
    },
    { id: 'scopes', header: headers.scopes, cell: ({ scopes }) => <Breakable text={scopes.join(', ')} /> },
    { id: 'last', header: headers.last, cell: lastOf },
    { id: 'sessions', header: headers.sessions, cell: sessionsOf },
    { id: 'limits', header: headers.limits, cell: limitsOf },
    timeColumn('expires', headers.expires, ({ expiresAt }) => expiresAt),
    {
      id: 'actions',
      header: headers.actions,
      cell: ({ id, owner }) => (
        <Button kind="plain" aria-label={texts.agents.stopOf(owner.email)} onClick={() => stop(id)}>
          {texts.agents.stop}
        </Button>
      ),
      width: '10rem',
    },
  ];
}

/**
 * Shows a text that the browser may break after each colon and underscore, because long names do not fit on a narrow
 * screen.
 */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[:_])/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
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

mountPage({ page: 'agents', needs: 'any', Content: AgentsPage });
