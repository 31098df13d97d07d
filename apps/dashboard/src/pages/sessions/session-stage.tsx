import type { Preview } from '../../screen/preview.tsx';
import { texts } from '../../texts/en.ts';
import { Panel } from '../../ui/index.ts';
import { useLater } from '../../ui/use-later.ts';
import type { Session } from './merge-sessions.ts';
import { RecordingNotice } from './recording/recording-notice.tsx';
import type { Replay } from './recording/replay.tsx';
import { isPlayable, useRecording } from './recording/use-recording.ts';
import { Timeline } from './timeline.tsx';
import { type CommandLog, useCommandLog } from './use-command-log.ts';

/**
 * Shows the screen of a session beside its commands: the live screen while the session runs, and the recording
 * afterwards.
 */
export function SessionStage({ session }: { session: Session }) {
  const log = useCommandLog(session.id);
  const recording = useRecording(session);
  const { value } = recording;
  const Player = useLater(isPlayable(value), loadReplay);
  // The player starts at the first failure, so it needs the commands before it can be shown.
  const isReady = log.state !== 'loading';
  const notice = <RecordingNotice session={session} recording={recording} />;
  return (
    <>
      {!isPlayable(value) && notice}
      {isPlayable(value) && isReady && Player !== undefined ? (
        <Player session={session} recording={value} log={log} notice={notice} />
      ) : (
        <Live session={session} log={log} />
      )}
    </>
  );
}

// Load the player only when it is needed, because most visits of the page need neither a live screen nor the player.
const loadReplay = async (): Promise<typeof Replay> => (await import('./recording/replay.tsx')).Replay;
const loadPreview = async (): Promise<typeof Preview> => (await import('../../screen/preview.tsx')).Preview;

function Live({ session, log }: { session: Session; log: CommandLog }) {
  const { device, endedAt } = session;
  const Screen = useLater(device !== null && endedAt === null, loadPreview);
  if (device === null || endedAt !== null) return <Timeline session={session} log={log} />;
  return (
    <div class="session-stage">
      <Panel title={texts.sessions.recording.live}>
        {Screen !== undefined && <Screen udid={device.udid} name={device.name} />}
      </Panel>
      <Timeline session={session} log={log} />
    </div>
  );
}
