import type { Caller } from '@svc/auth-core';
import { type Handlers, instant } from '@svc/module';
import type { OwnPasskeys } from './own-passkeys.ts';
import type { Passkey } from './passkey-ports.ts';
import { type PartySettings, partyOf } from './relying-party.ts';

/** Handlers with which people manage their passkeys, and Admins those of others (contract 10.2). */
export function passkeyHandlers(ownPasskeys: OwnPasskeys, config: PartySettings): Handlers {
  const ofCaller = {
    authorize: (caller: Caller, { id }: { id: string }) => void ownPasskeys.checkOwn(caller, id),
  };
  const ofOther = {
    authorize: (caller: Caller, { id }: { id: string }) => ownPasskeys.checkReach(caller, id),
  };
  return {
    listPasskeys: ({ caller }) => ownPasskeys.list(caller).map(shown),

    getPasskeyAddress: (request, tools) => {
      const { rpId, address } = partyOf(config, tools);
      const others = ownPasskeys.list(request.caller).filter((passkey) => passkey.rpId !== rpId);
      return { rpId, address, unusable: others.map(({ id }) => id) };
    },

    createPasskeyOptions: async (request, tools) => ({
      ...(await ownPasskeys.options(request.caller, partyOf(config, tools))),
    }),

    addPasskey: async (request, tools) =>
      shown(await ownPasskeys.add(request.caller, request.body, partyOf(config, tools))),

    changePasskey: {
      ...ofCaller,
      answer: ({ caller, params, body }) => shown(ownPasskeys.rename(caller, params.id, body.name)),
    },

    removePasskey: {
      ...ofCaller,
      answer: (request, tools) =>
        ownPasskeys.remove(request.caller, request.params.id, partyOf(config, tools)),
    },
    listUserPasskeys: {
      ...ofOther,
      answer: ({ caller, params }) => ownPasskeys.listOf(caller, params.id).map(shown),
    },

    removeUserPasskey: {
      ...ofOther,
      answer: ({ caller, params }) => ownPasskeys.removeOf(caller, params.id, params.passkeyId),
    },
  };
}

function shown({ id, name, createdAt, lastUsedAt, backedUp }: Passkey) {
  return { id, name, createdAt: instant(createdAt), lastUsedAt: instant(lastUsedAt), backedUp };
}
