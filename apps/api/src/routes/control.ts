import { routes } from '@svc/contract';
import { handle } from '../handle.ts';
import type { App, HttpContext } from '../http-context.ts';

/** Typing, taps and clipboard through the session that runs on a device (contract 2). */
export function controlRoutes(api: App, { services: { deviceControl } }: HttpContext): void {
  const authorizeResource = (caller: Parameters<typeof deviceControl.seen>[0], { udid }: { udid: string }) =>
    void deviceControl.seen(caller, udid);

  handle(
    api,
    routes.typeText,
    ({ caller, params, body }) => deviceControl.input(caller, params.udid, { kind: 'text', text: body.text }),
    { authorizeResource },
  );

  handle(
    api,
    routes.tap,
    ({ caller, params, body }) => deviceControl.input(caller, params.udid, { kind: 'tap', ...body }),
    { authorizeResource },
  );

  handle(
    api,
    routes.setClipboard,
    ({ caller, params, body }) =>
      deviceControl.input(caller, params.udid, { kind: 'clipboard', content: body.content }),
    { authorizeResource },
  );
}
