import { type Caller, type Clock, isFresh, Refusal } from '@svc/auth-core';
import type { Handlers, RouteLimit } from '@svc/module';
import { Attempts } from '../attempts/attempts.ts';
import { type PartySettings, partyOf } from '../passkeys/relying-party.ts';
import type { ChangePassword } from '../passwords/change-password.ts';
import type { Reauthenticate } from './reauthenticate.ts';

const TRIES = { attempts: 10, windowMs: 15 * 60 * 1000 };

interface Tools {
  readonly passwords: ChangePassword;
  readonly reauthenticate: Reauthenticate;
  readonly config: PartySettings;
  readonly clock: Clock;
}

/** Handlers for which a signed-in caller enters the password again (specification 5.9.5, 5.10). They share a limit. */
export function reauthenticateHandlers({ passwords, reauthenticate, config, clock }: Tools): Handlers {
  const limit: RouteLimit = {
    attempts: new Attempts(clock, TRIES),
    refusal: 'too many password attempts',
    key: ({ caller }) => proofCounterOf(caller, clock.now()),
  };
  return {
    changePassword: { limit, answer: ({ caller, body }) => passwords.change(caller, body) },

    reauthenticate: {
      limit,
      authorize: (caller) => reauthenticate.checkMayProve(caller),
      answer: ({ caller, body: { password, response } }, tools) => {
        if ((password === undefined) === (response === undefined)) throw oneProof();
        return response === undefined
          ? reauthenticate.withPassword(caller, password ?? '')
          : reauthenticate.withPasskey(caller, response, partyOf(config, tools));
      },
    },
  };
}

/**
 * @returns the counter for wrong passwords of a caller. Each sign-in of a person has its own, and a fresh one another
 * than before, so that neither a stolen bearer token nor a stolen cookie keeps the owner from changing the password.
 * All other credentials of an account share one, because a client can make any number of them.
 */
function proofCounterOf({ account, credential }: Caller, now: number): string {
  if (!credential.isPerson || credential.ownSignIn === null) return account.id;
  return isFresh(credential, now) ? `fresh ${credential.ownSignIn}` : credential.ownSignIn;
}

function oneProof(): Refusal {
  return new Refusal('bad_request', 'not one proof', {
    message: 'password: send either password or response',
  });
}
