import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { DirectInput } from '@svc/device-lab';
import type { FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/**
 * Registers the routes that put input into a device, through the session that runs on it or without one (contract 2),
 * and the route that takes a picture of its screen.
 */
export function controlRoutes(api: App, { services: { deviceControl, screenshots } }: HttpContext): void {
  const authorizeResource = (caller: Caller, { udid }: { udid: string }) =>
    void deviceControl.seen(caller, udid);
  const put = (
    { caller, sender }: Pick<FastifyRequest, 'caller' | 'sender'>,
    udid: string,
    input: DirectInput,
  ): Promise<void> =>
    sender.kind === 'hub'
      ? deviceControl.inputForHub(udid, sender.sessionId, input)
      : deviceControl.input(caller, udid, input);

  handle(
    api,
    routes.typeText,
    (request) => put(request, request.params.udid, { kind: 'text', text: request.body.text }),
    { authorizeResource },
  );

  handle(api, routes.tap, (request) => put(request, request.params.udid, { kind: 'tap', ...request.body }), {
    authorizeResource,
  });

  handle(
    api,
    routes.setClipboard,
    (request) => put(request, request.params.udid, { kind: 'clipboard', content: request.body.content }),
    { authorizeResource },
  );

  handle(
    api,
    routes.swipe,
    (request) => put(request, request.params.udid, { kind: 'swipe', ...request.body }),
    { authorizeResource },
  );

  handle(
    api,
    routes.pressKey,
    (request) => put(request, request.params.udid, { kind: 'key', ...request.body }),
    { authorizeResource },
  );

  handle(
    api,
    routes.takeScreenshot,
    async ({ caller, params }, reply) => {
      const { picture, type } = await screenshots.take(caller, params.udid);
      return reply.type(type).header('cache-control', 'no-store').send(picture);
    },
    { authorizeResource },
  );
}
