import { RECORDINGS } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import {
  Binary,
  documentedAs,
  IdParams,
  InstantSchema,
  literals,
  NullableInstant,
  named,
  namedObject,
  Type,
} from './common.ts';

const RECORDING_STATES = ['none', 'recording', 'complete', 'removed'] as const;
const MARK_KINDS = ['failure', 'evidence', 'paused', 'resumed'] as const;

const Bytes = Type.Integer({ description: 'Bytes of the stored pictures.' });

const RecordingChunk = namedObject('RecordingChunk', {
  index: Type.Integer(),
  from: InstantSchema,
  to: InstantSchema,
  pictures: Type.Integer(),
  bytes: Bytes,
});

const RecordingMark = namedObject('RecordingMark', {
  at: InstantSchema,
  kind: named('RecordingMarkKind', literals(MARK_KINDS)),
  label: Type.Optional(Type.String()),
});

const Recording = namedObject('Recording', {
  state: named('RecordingState', literals(RECORDING_STATES)),
  startedAt: NullableInstant,
  endedAt: NullableInstant,
  bytes: Bytes,
  pictures: Type.Integer(),
  chunks: Type.Array(RecordingChunk),
  marks: Type.Array(RecordingMark),
  deviceLogRows: Type.Integer(),
});

const DeviceLogRow = namedObject('DeviceLogRow', {
  seq: Type.Integer(),
  at: InstantSchema,
  line: Type.String(),
});

const ChunkParams = Type.Object({
  id: Type.String({ description: 'The id of the object.' }),
  index: Type.String({ description: 'The `index` of a chunk.' }),
});

const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d{2}:\\d{2})$';

const TAG: RouteTag = {
  name: 'Recordings',
  description: 'Recordings of sessions: pictures, device log, report.',
};

/** Routes for recordings of a session's screen (contract 11). */
export const recordingRoutes = feature(TAG, {
  recording: route.get('/session/:id/recording', {
    access: RECORDINGS,
    summary: 'What is recorded of a driver session',
    params: IdParams,
    responses: { 200: Recording },
  }),
  recordingChunk: route.get('/session/:id/recording/chunks/:index', {
    access: RECORDINGS,
    summary: 'The pictures of one chunk of a recording',
    description:
      'One picture after the other. Before each is a line of JSON, `{"at","bytes","type"}`, and a line feed; `bytes` is the length of the picture that follows.',
    params: ChunkParams,
    responses: { 200: Binary },
    produces: ['application/octet-stream'],
  }),
  recordingPicture: route.get('/session/:id/recording/picture', {
    access: RECORDINGS,
    summary: 'The picture that the phone showed at a moment',
    params: IdParams,
    query: Type.Object({
      at: documentedAs(Type.String({ pattern: INSTANT }), Type.String({ format: 'date-time' })),
    }),
    responses: { 200: Binary },
    produces: ['image/jpeg', 'image/png'],
  }),
  deviceLog: route.get('/session/:id/device_log', {
    access: RECORDINGS,
    summary: 'The device log of a recorded session',
    params: IdParams,
    query: Type.Object({
      after: Type.Optional(
        documentedAs(
          Type.String({ pattern: '^[0-9]{1,12}$' }),
          Type.Integer({
            minimum: 0,
            maximum: 999_999_999_999,
            description: 'Only rows after this `seq`; 0 if absent.',
          }),
        ),
      ),
      limit: Type.Optional(
        documentedAs(
          Type.String({ pattern: '^[1-9][0-9]{0,4}$' }),
          Type.Integer({
            minimum: 1,
            maximum: 99_999,
            description: 'Maximum number of rows; 1000 if absent, and values above 2000 count as 2000.',
          }),
        ),
      ),
    }),
    responses: {
      200: namedObject('DeviceLogPage', {
        items: Type.Array(DeviceLogRow),
        next: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'Value of `after` for the next page, or null if there is no further page now.',
        }),
      }),
    },
  }),
  sessionReport: route.get('/session/:id/report', {
    access: RECORDINGS,
    summary: 'A report of a driver session as one HTML file',
    description:
      'Record, commands, pictures of failures and evidence, and device log. The file needs no network and runs no script.',
    params: IdParams,
    responses: { 200: Type.String() },
    produces: ['text/html'],
  }),
  deleteRecording: route.delete('/session/:id/recording', {
    access: RECORDINGS,
    summary: 'Delete the recording of a driver session',
    description: 'Allowed for the owner of the session and for an override admin.',
    params: IdParams,
    responses: { 204: null },
    errors: ['session_running'],
  }),
});
