import type { Caller } from '@svc/auth-core';
import { routes } from '@svc/contract';
import type { DeviceInput } from '@svc/device-lab';
import type { FastifyRequest } from 'fastify';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

/** Registers the routes that type, tap and set the clipboard through the session that runs on a device (contract 2). */
export function controlRoutes(api: App, { services: { deviceControl } }: HttpContext): void {
  const authorizeResource = (caller: Caller, { udid }: { udid: string }) =>
    void deviceControl.seen(caller, udid);
  const put = (
    { caller, sender }: Pick<FastifyRequest, 'caller' | 'sender'>,
    udid: string,
    input: DeviceInput,
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
}
