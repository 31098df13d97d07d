import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../../../texts/en.ts';
import { Panel } from '../../../ui/index.ts';
import { commandId } from '../command-row.tsx';
import { isFailed } from '../filter-commands.ts';
import type { Session } from '../merge-sessions.ts';
import { Timeline } from '../timeline.tsx';
import type { CommandLog } from '../use-command-log.ts';
import { Marks } from './marks.tsx';
import { latestBefore } from './moments.ts';
import { PlayerControls } from './player-controls.tsx';
import { ScreenCanvas } from './screen-canvas.tsx';
import { type Span, usePlayer } from './use-player.ts';
import type { Recording } from './use-recording.ts';

interface ReplayProps {
  session: Session;
  recording: Recording;
  log: CommandLog;
  /** What the user may do with the recording as a whole. */
  notice: ComponentChildren;
}

/**
 * Plays the recorded screen beside the commands. Starts at the first failure, or at the first picture if nothing
 * failed.
 */
export function Replay({ session, recording, log, notice }: ReplayProps) {
  const span = spanOf(session, recording);
  const player = usePlayer(span, firstFailure(recording, log) ?? firstPicture(recording) ?? span.from);
  const current = latestBefore(log.rows, player.at, ({ at }) => Date.parse(at));
  useEffect(() => {
    if (player.isPlaying && current !== undefined) bringIntoView(commandId(current));
  }, [player.isPlaying, current]);
  return (
    <div class="session-stage">
      <Panel title={texts.sessions.recording.title} actions={notice}>
        <ScreenCanvas
          sessionId={session.id}
          name={session.device?.name ?? session.id}
          chunks={recording.chunks}
          at={player.at}
        />
        <PlayerControls player={player} span={span} commands={log.rows} />
        <Marks marks={recording.marks} from={span.from} onSeek={player.seek} />
      </Panel>
      <Timeline session={session} log={log} current={current?.seq} onMoment={player.seek} />
    </div>
  );
}

/**
 * Scrolls the current command into view. Does nothing on a narrow page, where the screen is above the commands and
 * would scroll away.
 */
function bringIntoView(id: string): void {
  if (!matchMedia('(min-width: 60rem)').matches) return;
  document.getElementById(id)?.scrollIntoView({ block: 'nearest' });
}

function spanOf(session: Session, { startedAt, endedAt, chunks }: Recording): Span {
  const from = Date.parse(startedAt ?? session.startedAt);
  const ends = [endedAt, session.endedAt, chunks.at(-1)?.to].flatMap((at) => (at ? [Date.parse(at)] : []));
  return { from, to: Math.max(from, ...ends) };
}

function firstFailure({ marks }: Recording, { rows }: CommandLog): number | undefined {
  const failed = [rows.find(isFailed), marks.find(({ kind }) => kind === 'failure')];
  const times = failed.flatMap((each) => (each === undefined ? [] : [Date.parse(each.at)]));
  return times.length === 0 ? undefined : Math.min(...times);
}

function firstPicture({ chunks: [first] }: Recording): number | undefined {
  return first === undefined ? undefined : Date.parse(first.from);
}
