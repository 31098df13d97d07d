import { Refusal } from '@svc/auth-core';
import { ATTACH_PATH, routes } from '@svc/contract';
import type { AttachAddress } from '@svc/device-lab';
import { instant } from '@svc/module';
import { addressFor } from '../http/address-for.ts';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';

const USUAL_MINUTES = 30;

/** Registers the routes for attach addresses, which give a session to a client without credentials (contract 15.4). */
export function attachRoutes(api: App, context: HttpContext): void {
  const { attach } = context.services;
  const authorizeResource = {
    authorizeResource: (caller: Parameters<typeof attach.list>[0], { id }: { id: string }) =>
      attach.checkSeen(caller, id),
  };

  handle(
    api,
    routes.createAttachment,
    (request) => {
      const { caller, params, body } = request;
      const server = addressFor(request, context);
      if (server === undefined) throw new Refusal('bad_request', 'unusable Host header');
      const { address, secret } = attach.create(caller, params.id, body?.minutes ?? USUAL_MINUTES);
      const url = `${server}${ATTACH_PATH}${secret}`;
      return { attachId: address.id, url, expiresAt: instant(address.expiresAt) };
    },
    authorizeResource,
  );

  handle(
    api,
    routes.listAttachments,
    ({ caller, params }) => attach.list(caller, params.id).map(describe),
    authorizeResource,
  );

  handle(
    api,
    routes.getAttachment,
    ({ caller, params }) => {
      const address = attach.byId(caller, params.id, params.attachId);
      const { lastUse } = address;
      const lastUsedBy = lastUse === null ? null : { address: lastUse.address, userAgent: lastUse.userAgent };
      return { ...describe(address), lastUsedBy };
    },
    authorizeResource,
  );

  handle(
    api,
    routes.endAttachment,
    ({ caller, params }) => attach.end(caller, params.id, params.attachId),
    authorizeResource,
  );
}

function describe({ id, createdAt, expiresAt, lastUse }: AttachAddress) {
  return {
    attachId: id,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
    lastUsedAt: instant(lastUse?.at ?? null),
  };
}
