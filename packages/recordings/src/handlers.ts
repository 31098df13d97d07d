import { type Caller, Refusal } from '@svc/auth-core';
import type { Route, routes } from '@svc/contract';
import type { DeviceLab, SessionDirectory } from '@svc/device-lab';
import {
  attachment,
  type Handlers,
  type HandlerTools,
  JSON_TYPE,
  jsonArray,
  type LargeAnswer,
  mapped,
  type RouteRequest,
} from '@svc/module';
import { REPORT_POLICY } from './report/html.ts';
import { report } from './report/report.ts';
import type { DeviceLogPage } from './sessions/recording-source.ts';
import type { SessionRecordings, Viewer } from './sessions/session-recordings.ts';

const USUAL_LOG = 1_000;
const LARGEST_LOG = 2_000;
/** Headers that keep a browser from guessing another content type and from running scripts in the response. */
const SAFELY = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
};

interface Tools {
  readonly sessionRecordings: SessionRecordings;
  readonly sessions: Pick<SessionDirectory, 'refusal'>;
  readonly lab: Pick<DeviceLab, 'commandLog'>;
  readonly publicUrl: string | null;
  readonly version: string;
}

/** Handlers of the recordings and device logs of sessions (contract 11). */
export function recordingHandlers(tools: Tools): Handlers {
  const { sessionRecordings, sessions } = tools;
  /** Before the query is checked, refuses callers who are not allowed to see the session (contract 1, guard order). */
  const authorize = (caller: Caller, { id }: { id: string }) => void sessionRecordings.session(caller, id);
  return {
    recording: async (request) => {
      const { id } = request.params;
      const viewer = viewerOf(request);
      const view = await sessionRecordings.of(viewer, id).view();
      if (view.state === 'recording' || view.state === 'complete') sessionRecordings.viewed(viewer, id);
      return view;
    },
    recordingChunk: {
      file: async (request) => {
        const { id, index } = request.params;
        const viewer = viewerOf(request);
        const pictures = await sessionRecordings.of(viewer, id).chunk(index);
        if (pictures === null) throw new Refusal('not_found', 'no such chunk');
        sessionRecordings.viewed(viewer, id);
        return { type: 'application/octet-stream', headers: SAFELY, content: pictures };
      },
    },
    recordingPicture: {
      authorize,
      file: async (request) => {
        const { id } = request.params;
        const viewer = viewerOf(request);
        const recording = sessionRecordings.of(viewer, id);
        const { at } = request.query;
        if (Number.isNaN(Date.parse(at)))
          throw new Refusal('bad_request', 'no time', { message: 'at: is not a time in ISO 8601' });
        const picture = await recording.picture(at);
        if (picture === null) throw new Refusal('not_found', 'no picture of that moment');
        sessionRecordings.viewed(viewer, id);
        return { type: picture.type, headers: SAFELY, content: picture.bytes };
      },
    },
    deviceLog: {
      authorize,
      large: (request) => {
        const { id } = request.params;
        const viewer = viewerOf(request);
        const { after, limit } = request.query;
        const recording = sessionRecordings.of(viewer, id);
        const texts = async () => {
          const most = Math.min(LARGEST_LOG, Number(limit ?? USUAL_LOG));
          const page = await recording.rows(Number(after ?? 0), most);
          if (page.items.length > 0) sessionRecordings.viewed(viewer, id);
          return logPage(page);
        };
        return { type: JSON_TYPE, texts, refusal: (now) => sessions.refusal(now, id) };
      },
    },
    sessionReport: { large: (request, { turns }) => reportOf(request, turns, tools) },
    deleteRecording: {
      authorize,
      answer: (request) => sessionRecordings.remove(viewerOf(request), request.params.id),
    },
  };
}

function reportOf(
  request: RouteRequest<typeof routes.sessionReport>,
  turns: HandlerTools['turns'],
  { sessionRecordings, sessions, lab, publicUrl, version }: Tools,
): LargeAnswer {
  const { id } = request.params;
  const viewer = viewerOf(request);
  const shown = sessionRecordings.session(viewer, id);
  const recording = sessionRecordings.source(shown.session);
  const texts = async () => {
    const view = await recording.view();
    if (view.state === 'recording' || view.state === 'complete') sessionRecordings.viewed(viewer, id);
    const commands = lab.commandLog.read(id);
    const inTurns = (parts: Iterable<string>) => turns.pieces(parts);
    return report({ ...shown, recording, view, commands, inTurns, publicUrl, version });
  };
  const headers = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': REPORT_POLICY,
    'content-disposition': attachment(`session-${id.replace(/[^\w.-]/g, '_')}.html`),
  };
  return { type: 'text/html; charset=utf-8', headers, texts, refusal: (now) => sessions.refusal(now, id) };
}

/** Yields the texts of a page. Copies the declared fields only, because a page of a node can contain anything. */
function* logPage({ items, next }: DeviceLogPage): Generator<string> {
  yield '{"items":';
  yield* jsonArray(
    mapped(items, ({ seq, at, line }) => ({ seq: Number(seq), at: String(at), line: String(line) })),
  );
  yield `,"next":${next === null ? null : Number(next)}}`;
}

function viewerOf({ sender, caller }: Pick<RouteRequest<Route>, 'sender' | 'caller'>): Viewer {
  return sender.kind === 'hub' ? 'hub' : caller;
}
