import { type Caller, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { mapped } from '@svc/module';
import { type DeviceLogPage, REPORT_POLICY, report, type Viewer } from '@svc/recordings';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { attachment } from '../apps/content-disposition.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { JSON_TYPE, jsonArray } from '../reads/large-reads.ts';
import { VERSION } from '../runtime/resources.ts';

const USUAL_LOG = 1_000;
const LARGEST_LOG = 2_000;

/** Registers the routes for the recordings and device logs of sessions (contract 11). */
export function recordingRoutes(api: App, { services, reads }: HttpContext): void {
  const { sessionRecordings, sessions } = services;
  /** Before the query is checked, refuses callers who are not allowed to see the session (contract 1, guard order). */
  const seen = {
    authorizeResource: (caller: Caller, { id }: { id: string }) => void sessionRecordings.session(caller, id),
  };

  handle(api, routes.recording, async (request) => {
    const { id } = request.params;
    const viewer = viewerOf(request);
    const view = await sessionRecordings.of(viewer, id).view();
    if (view.state === 'recording' || view.state === 'complete') sessionRecordings.viewed(viewer, id);
    return view;
  });

  handle(api, routes.recordingChunk, async (request, reply) => {
    const { id, index } = request.params;
    const viewer = viewerOf(request);
    const pictures = await sessionRecordings.of(viewer, id).chunk(index);
    if (pictures === null) throw new Refusal('not_found', 'no such chunk');
    sessionRecordings.viewed(viewer, id);
    return safely(reply, 'application/octet-stream').send(pictures) as never;
  });

  handle(
    api,
    routes.recordingPicture,
    async (request, reply) => {
      const { id } = request.params;
      const viewer = viewerOf(request);
      const recording = sessionRecordings.of(viewer, id);
      const { at } = request.query;
      if (Number.isNaN(Date.parse(at)))
        throw new Refusal('bad_request', 'no time', { message: 'at: is not a time in ISO 8601' });
      const picture = await recording.picture(at);
      if (picture === null) throw new Refusal('not_found', 'no picture of that moment');
      sessionRecordings.viewed(viewer, id);
      return safely(reply, picture.type).send(picture.bytes) as never;
    },
    seen,
  );

  handle(
    api,
    routes.deviceLog,
    async (request, reply) => {
      const { id } = request.params;
      const viewer = viewerOf(request);
      const { after, limit } = request.query;
      const recording = sessionRecordings.of(viewer, id);
      const texts = async () => {
        const page = await recording.rows(
          Number(after ?? 0),
          Math.min(LARGEST_LOG, Number(limit ?? USUAL_LOG)),
        );
        if (page.items.length > 0) sessionRecordings.viewed(viewer, id);
        return logPage(page);
      };
      const refusal = (now: Caller) => sessions.refusal(now, id);
      return await reads.send(request, reply, { type: JSON_TYPE, texts, refusal });
    },
    seen,
  );

  handle(api, routes.sessionReport, async (request, reply) => {
    const { id } = request.params;
    const viewer = viewerOf(request);
    const shown = sessionRecordings.session(viewer, id);
    const recording = sessionRecordings.source(shown.session);
    const texts = async () => {
      const view = await recording.view();
      if (view.state === 'recording' || view.state === 'complete') sessionRecordings.viewed(viewer, id);
      const commands = services.lab.commandLog.read(id);
      const inTurns = (parts: Iterable<string>) => reads.turns.pieces(parts);
      const { publicUrl } = services.config;
      return report({ ...shown, recording, view, commands, inTurns, publicUrl, version: VERSION });
    };
    const headers = {
      'x-content-type-options': 'nosniff',
      'content-security-policy': REPORT_POLICY,
      'content-disposition': attachment(`session-${id.replace(/[^\w.-]/g, '_')}.html`),
    };
    const refusal = (now: Caller) => sessions.refusal(now, id);
    const type = 'text/html; charset=utf-8';
    return await reads.send(request, reply, { type, headers, texts, refusal });
  });

  handle(
    api,
    routes.deleteRecording,
    (request) => sessionRecordings.remove(viewerOf(request), request.params.id),
    seen,
  );
}

/** Yields the texts of a page. Copies the declared fields only, because a page of a node can contain anything. */
function* logPage({ items, next }: DeviceLogPage): Generator<string> {
  yield '{"items":';
  yield* jsonArray(
    mapped(items, ({ seq, at, line }) => ({ seq: Number(seq), at: String(at), line: String(line) })),
  );
  yield `,"next":${next === null ? null : Number(next)}}`;
}

function viewerOf({ sender, caller }: FastifyRequest): Viewer {
  return sender.kind === 'hub' ? 'hub' : caller;
}

/** Sets headers that keep a browser from guessing another content type and from running scripts in the response. */
function safely(reply: FastifyReply, type: string): FastifyReply {
  return reply.headers({
    'content-type': type,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
}
