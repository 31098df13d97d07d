import { Readable } from 'node:stream';
import { type Caller, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { REPORT_POLICY, report, type Viewer } from '@svc/recorder';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { attachment } from '../apps/content-disposition.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { VERSION } from '../runtime/resources.ts';

const USUAL_LOG = 1_000;
const LARGEST_LOG = 2_000;

/** Registers the routes for the recordings and device logs of sessions (contract 11). */
export function recordingRoutes(api: App, { services }: HttpContext): void {
  const { sessionRecordings } = services;
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
    async (request) => {
      const { id } = request.params;
      const viewer = viewerOf(request);
      const { after, limit } = request.query;
      const page = await sessionRecordings
        .of(viewer, id)
        .rows(Number(after ?? 0), Math.min(LARGEST_LOG, Number(limit ?? USUAL_LOG)));
      if (page.items.length > 0) sessionRecordings.viewed(viewer, id);
      return page;
    },
    seen,
  );

  handle(api, routes.sessionReport, async (request, reply) => {
    const { id } = request.params;
    const viewer = viewerOf(request);
    const shown = sessionRecordings.session(viewer, id);
    const recording = sessionRecordings.source(shown.session);
    const view = await recording.view();
    if (view.state === 'recording' || view.state === 'complete') sessionRecordings.viewed(viewer, id);
    const commands = services.lab.commandLog.read(id);
    const page = Readable.from(report({ ...shown, recording, view, commands, version: VERSION }), {
      objectMode: false,
    });
    return safely(reply, 'text/html; charset=utf-8')
      .headers({
        'content-security-policy': REPORT_POLICY,
        'content-disposition': attachment(`session-${id.replace(/[^\w.-]/g, '_')}.html`),
      })
      .send(page) as never;
  });

  handle(
    api,
    routes.deleteRecording,
    (request) => sessionRecordings.remove(viewerOf(request), request.params.id),
    seen,
  );
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
