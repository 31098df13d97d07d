import { type Caller, Refusal } from '@svc/auth-core';
import { ATTACH_PATH } from '@svc/contract';
import { type Handlers, instant } from '@svc/module';
import type { AttachAddress } from './attach-address.ts';
import type { AttachAddresses } from './attach-addresses.ts';

const USUAL_MINUTES = 30;

/** Handlers of attach addresses, which give a session to a client without credentials (contract 15.4). */
export function attachHandlers(attach: AttachAddresses): Handlers {
  const authorize = (caller: Caller, { id }: { id: string }) => attach.checkSeen(caller, id);
  return {
    createAttachment: {
      authorize,
      answer: ({ caller, params, body }, { address: server }) => {
        if (server === undefined) throw new Refusal('bad_request', 'unusable Host header');
        const { address, secret } = attach.create(caller, params.id, body?.minutes ?? USUAL_MINUTES);
        const url = `${server}${ATTACH_PATH}${secret}`;
        return { attachId: address.id, url, expiresAt: instant(address.expiresAt) };
      },
    },
    listAttachments: {
      authorize,
      answer: ({ caller, params }) => attach.list(caller, params.id).map(describe),
    },
    getAttachment: {
      authorize,
      answer: ({ caller, params }) => {
        const address = attach.byId(caller, params.id, params.attachId);
        const { lastUse } = address;
        const lastUsedBy =
          lastUse === null ? null : { address: lastUse.address, userAgent: lastUse.userAgent };
        return { ...describe(address), lastUsedBy };
      },
    },
    endAttachment: {
      authorize,
      answer: ({ caller, params }) => attach.end(caller, params.id, params.attachId),
    },
  };
}

function describe({ id, createdAt, expiresAt, lastUse }: AttachAddress) {
  return {
    attachId: id,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
    lastUsedAt: instant(lastUse?.at ?? null),
  };
}
