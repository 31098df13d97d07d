import { useMemo, useState } from 'preact/hooks';
import { call } from '../../api/client.ts';
import { sessionAddress } from '../../api/record-addresses.ts';
import { useResource } from '../../api/use-resource.ts';
import { texts } from '../../texts/en.ts';
import { Button, CheckField, PageHeader, Panel, ResourceView, TimeText } from '../../ui/index.ts';
import { RunningTime } from '../../ui/running-time.tsx';
import { useLater } from '../../ui/use-later.ts';
import { type AlignedCommands, alignCommands, firstDifference, MOST_COMPARED } from './align-commands.ts';
import { ComparedLine } from './compared-line.tsx';
import { foldLines, type ShownLine } from './fold-lines.ts';
import type { Session } from './merge-sessions.ts';
import type { ScreenCanvas } from './recording/screen-canvas.tsx';
import { isPlayable, useRecording } from './recording/use-recording.ts';
import { StatusBadge } from './status-badge.tsx';
import { wholeLog } from './whole-log.ts';

const FIRST = 'first-difference';

/** Shows two runs of one test side by side and marks their first difference. */
export function Comparison({ id, against }: { id: string; against: string }) {
  const compared = useResource(() => Promise.all([runOf(id), runOf(against)]), [id, against]);
  return (
    <>
      <p class="back">
        <a href={sessionAddress(id)}>
          {texts.sessions.compare.back(compared.value?.[0].session.name ?? texts.sessions.unnamed)}
        </a>
      </p>
      <PageHeader title={texts.sessions.compare.title} />
      <ResourceView resource={compared}>
        {([left, right]) => <SideBySide left={left} right={right} />}
      </ResourceView>
    </>
  );
}

type Run = Awaited<ReturnType<typeof runOf>>;

async function runOf(id: string) {
  const [session, log] = await Promise.all([call('session', { params: { id } }), wholeLog(id)]);
  return { session, ...log };
}

function SideBySide({ left, right }: { left: Run; right: Run }) {
  const lines = useMemo(() => alignCommands(left.rows, right.rows), [left, right]);
  const first = firstDifference(lines);
  const [isFolded, setFolded] = useState(first !== -1);
  // Line at whose moment the recorded screens are shown.
  const [current, setCurrent] = useState(first === -1 ? lines.length - 1 : first);
  const shown: readonly ShownLine[] = isFolded
    ? foldLines(lines)
    : lines.map((line, from) => ({ kind: 'line', from, line }));
  const { compare } = texts.sessions;
  return (
    <>
      <div class="panel compared-heads">
        <RunHead label={compare.left} session={left.session} at={momentOf(lines, current, 'left')} />
        <RunHead label={compare.right} session={right.session} at={momentOf(lines, current, 'right')} />
      </div>
      <Panel
        title={texts.sessions.log.title}
        lead={
          <span role="status">
            {first === -1 && compare.same} {(left.isCut || right.isCut) && compare.cut(MOST_COMPARED)}
          </span>
        }
        actions={
          first !== -1 && (
            <>
              <CheckField
                label={compare.onlyDifferences}
                checked={isFolded}
                onChange={({ currentTarget }) => setFolded(currentTarget.checked)}
              />
              <Button onClick={toFirst}>{compare.toFirst}</Button>
            </>
          )
        }
      >
        <ol class="compared">
          {shown.map((each) => (
            <Shown
              key={each.from}
              shown={each}
              first={first}
              runs={[left.session, right.session]}
              onOpen={setCurrent}
            />
          ))}
        </ol>
      </Panel>
    </>
  );
}

interface ShownProps {
  shown: ShownLine;
  first: number;
  runs: readonly [Session, Session];
  /** Called with the index of the line of which the user opens a command. */
  onOpen(index: number): void;
}

function Shown({ shown, first, runs, onOpen }: ShownProps) {
  if (shown.kind === 'fold')
    return <li class="compared-fold">{texts.sessions.compare.folded(shown.count)}</li>;
  const isFirst = shown.from === first;
  const { difference }: AlignedCommands = shown.line;
  return (
    <li
      class={`compared-line compared-${difference}`}
      id={isFirst ? FIRST : undefined}
      tabIndex={isFirst ? -1 : undefined}
    >
      {isFirst && <strong class="first-difference">{texts.sessions.compare.first}</strong>}
      <ComparedLine line={shown.line} runs={runs} onOpen={() => onOpen(shown.from)} />
    </li>
  );
}

function toFirst(): void {
  const line = document.getElementById(FIRST);
  line?.scrollIntoView({ block: 'center' });
  line?.focus();
}

/** @returns the time of a run's first command at a line or after it, or of its last one, in ms since 1970; 0 if none */
function momentOf(lines: readonly AlignedCommands[], index: number, side: 'left' | 'right'): number {
  const has = (line: AlignedCommands) => line[side] !== null;
  const line = lines.slice(index).find(has) ?? lines.findLast(has);
  return Date.parse(line?.[side]?.at ?? '1970-01-01');
}

/** Shows which run is on one side, with its recorded screen at the moment `at`. */
function RunHead({ label, session, at }: { label: string; session: Session; at: number }) {
  const { id, name, device, startedAt, endedAt, failureReason } = session;
  const { value: recording } = useRecording(session);
  const Screen = useLater(isPlayable(recording), loadScreen);
  return (
    <section aria-label={label} class="compared-head">
      <div>
        <p class="soft">{label}</p>
        <p>
          <a href={sessionAddress(id)} class="breakable">
            {name ?? texts.sessions.unnamed}
          </a>{' '}
          <StatusBadge session={session} />
        </p>
        <p class="soft">
          {device?.name ?? texts.sessions.noDevice}, <TimeText at={startedAt} />,{' '}
          <RunningTime from={startedAt} to={endedAt} />
        </p>
        {failureReason !== null && <p class="compared-reason breakable">{failureReason}</p>}
      </div>
      {isPlayable(recording) && Screen !== undefined && (
        <Screen sessionId={id} name={device?.name ?? id} chunks={recording.chunks} at={at} />
      )}
    </section>
  );
}

const loadScreen = async (): Promise<typeof ScreenCanvas> =>
  (await import('./recording/screen-canvas.tsx')).ScreenCanvas;
