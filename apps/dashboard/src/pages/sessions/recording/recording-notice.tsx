import { call } from '../../../api/client.ts';
import type { Resource } from '../../../api/use-resource.ts';
import { texts } from '../../../texts/en.ts';
import { ConfirmButton, toast } from '../../../ui/index.ts';
import type { Session } from '../merge-sessions.ts';
import type { Recording } from './use-recording.ts';

interface RecordingNoticeProps {
  session: Session;
  recording: Resource<Recording>;
}

/** Shows whether the session is or was recorded, and lets its owner delete the recording. */
export function RecordingNotice({ session, recording }: RecordingNoticeProps) {
  const { value } = recording;
  if (value === undefined) return null;
  const { notices } = texts.sessions.recording;
  if (value.state === 'complete') return <DeleteRecording session={session} recording={recording} />;
  if (value.state === 'recording') {
    return (
      <p class="recording-banner" role="status">
        {notices.recording}
      </p>
    );
  }
  if (value.state === 'removed') return <p class="soft">{notices.removed}</p>;
  return <p class="soft">{session.endedAt === null ? notices.notRecording : notices.none}</p>;
}

function DeleteRecording({ session: { id }, recording }: RecordingNoticeProps) {
  const { remove } = texts.sessions.recording;
  return (
    <ConfirmButton
      label={remove.action}
      title={remove.title}
      text={remove.text}
      onConfirm={async () => {
        await call('deleteRecording', { params: { id } });
        toast(remove.done);
        recording.reload();
      }}
    />
  );
}
