import type { ComponentChildren } from 'preact';
import { apiAddress, pageAddress } from '../../api/addresses.ts';
import { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/client.ts';
import { deviceAddress } from '../../api/record-addresses.ts';
import { type Resource, useResource } from '../../api/use-resource.ts';
import { useLiveEvents } from '../../live/use-live.ts';
import { useSoon } from '../../live/use-soon.ts';
import { AttachPanel } from '../../screen/attach-panel.tsx';
import { texts } from '../../texts/en.ts';
import {
  Badge,
  ConfirmButton,
  CopyText,
  ErrorState,
  LinkButton,
  LoadingState,
  PageHeader,
  Panel,
  TimeText,
  toast,
} from '../../ui/index.ts';
import { RunningTime } from '../../ui/running-time.tsx';
import { CleaningAfter } from './cleaning-after.tsx';
import { CompareLink } from './compare-link.tsx';
import { patched, type Session } from './merge-sessions.ts';
import { NeighbourLinks } from './neighbour-links.tsx';
import { SessionOwner } from './session-owner.tsx';
import { SessionStage } from './session-stage.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Tags } from './tags.tsx';
import { versionsOf } from './versions.ts';

export function SessionDetail({ id }: { id: string }) {
  const session = useResource(() => call('session', { params: { id } }), [id]);
  const { value } = session;
  const reloadSoon = useSoon(session.reload);
  useLiveEvents(['session_changed', 'session_ended'], ({ payload }) => {
    if (payload.id !== id || session.value === undefined) return;
    session.set(patched(session.value, payload));
    // Events do not contain the cleaning, which begins and ends after the session.
    if (payload.endedAt !== null) reloadSoon();
  });
  useLiveEvents(['history_lost'], session.reload);
  return (
    <>
      <p class="back">
        <a href={pageAddress('sessions')}>{texts.sessions.back}</a>
      </p>
      {value === undefined ? (
        <Missing session={session} />
      ) : (
        <Known session={value} reload={session.reload} />
      )}
    </>
  );
}

function Missing({ session }: { session: Resource<Session> }) {
  if (session.state !== 'error') return <LoadingState />;
  if (session.error instanceof ApiError && session.error.status === 404) {
    const { title, text } = texts.sessions.detail.unknown;
    return <PageHeader title={title} lead={text} />;
  }
  return <ErrorState error={session.error} onRetry={session.reload} />;
}

function Known({ session, reload }: { session: Session; reload(): void }) {
  const name = session.name ?? texts.sessions.unnamed;
  const end = async () => {
    await call('endSession', { params: { id: session.id } });
    toast(texts.sessions.end.done);
    reload();
  };
  return (
    <>
      <PageHeader
        title={name}
        lead={
          <span class="session-lead">
            <StatusBadge session={session} />
            <SessionOwner owner={session.owner} />
          </span>
        }
        actions={
          <>
            <NeighbourLinks session={session} />
            <CompareLink session={session} />
            <LinkButton
              href={apiAddress(`/session/${encodeURIComponent(session.id)}/report`)}
              download={`session-${session.id}.html`}
            >
              {texts.sessions.detail.report}
            </LinkButton>
            {session.endedAt === null && (
              <ConfirmButton
                label={texts.sessions.end.action}
                title={texts.sessions.end.title}
                text={texts.sessions.end.text(name)}
                onConfirm={end}
              />
            )}
          </>
        }
      />
      <Failure session={session} />
      <Facts session={session} />
      {session.endedAt === null && <AttachPanel id={session.id} />}
      <SessionStage session={session} />
      {session.clean !== null && <CleaningAfter clean={session.clean} />}
      <Panel title={texts.sessions.detail.capabilities}>
        <dl class="session-facts">
          {versionsOf(session.capabilities).map(([term, value]) => (
            <Fact key={term} term={term}>
              {value}
            </Fact>
          ))}
        </dl>
        <details class="capabilities">
          <summary>{texts.sessions.detail.allCapabilities}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling text must be reachable by keyboard */}
          <pre tabIndex={0}>{JSON.stringify(session.capabilities, null, 2)}</pre>
        </details>
      </Panel>
    </>
  );
}

function Failure({ session: { failureCategory, failureReason } }: { session: Session }) {
  const { failure } = texts.sessions.detail;
  if (failureCategory === null && failureReason === null) return null;
  return (
    <section class="notice notice-bad failure" aria-label={failure}>
      {failureCategory !== null && <Badge tone="bad">{failureCategory}</Badge>}
      {failureReason !== null && <p class="breakable">{failureReason}</p>}
    </section>
  );
}

function Facts({ session }: { session: Session }) {
  const { detail, noDevice } = texts.sessions;
  const { startedBy, startedByUrl, device, node, startedAt, endedAt, tags } = session;
  return (
    <dl class="session-facts">
      {startedBy !== null && (
        <Fact term={detail.startedBy}>
          <CiRun name={startedBy} url={startedByUrl} />
        </Fact>
      )}
      <Fact term={detail.device}>
        {device === null ? noDevice : <a href={deviceAddress(device.udid)}>{device.name}</a>}
      </Fact>
      {node !== null && <Fact term={detail.node}>{node}</Fact>}
      <Fact term={detail.duration}>
        <RunningTime from={startedAt} to={endedAt} />
      </Fact>
      <Fact term={detail.started}>
        <TimeText at={startedAt} />
      </Fact>
      {endedAt !== null && (
        <Fact term={detail.ended}>
          <TimeText at={endedAt} />
        </Fact>
      )}
      {tags.length > 0 && (
        <Fact term={detail.tags}>
          <Tags tags={tags} />
        </Fact>
      )}
      <Fact term={detail.id}>
        <CopyText value={session.id} label={detail.id} />
      </Fact>
    </dl>
  );
}

/**
 * Leads to the run at the CI service. The address comes from the job's token, so nothing but a web address is a link.
 */
function CiRun({ name, url }: { name: string; url: string | null }) {
  if (url === null || !/^https?:\/\//.test(url)) return <>{name}</>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {name}
    </a>
  );
}

function Fact({ term, children }: { term: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}
