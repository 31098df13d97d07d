import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { DeviceInput } from '@svc/device-lab';
import type { FastifyRequest } from 'fastify';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';

/** Typing, taps and clipboard through the session that runs on a device (contract 2). */
export function controlRoutes(api: App, { services: { deviceControl } }: HttpContext): void {
  const authorizeResource = (caller: Caller, { udid }: { udid: string }) =>
    void deviceControl.seen(caller, udid);
  const put = (
    { caller, forHub }: Pick<FastifyRequest, 'caller' | 'forHub'>,
    udid: string,
    input: DeviceInput,
  ): Promise<void> =>
    forHub === null
      ? deviceControl.input(caller, udid, input)
      : deviceControl.inputForHub(udid, forHub.sessionId, input);

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
}
