import { type Answer, call } from '../../../api/client.ts';
import { type Resource, useResource } from '../../../api/use-resource.ts';
import type { Session } from '../merge-sessions.ts';

export type Recording = Answer<'recording'>;

/** Loads the description of a session's recording, and loads it again when the session ends. */
export function useRecording({ id, endedAt }: Session): Resource<Recording> {
  return useResource(() => call('recording', { params: { id } }), [id, endedAt]);
}

/** @returns whether the recording is finished and has pictures to play */
export function isPlayable(recording: Recording | undefined): recording is Recording {
  return recording?.state === 'complete' && recording.chunks.length > 0;
}
