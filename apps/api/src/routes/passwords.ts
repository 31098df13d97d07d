import { Attempts } from '@svc/accounts';
import { type Caller, isFresh, Refusal } from '@svc/auth-core';
import { routes } from '@svc/contract';
import { instant } from '@svc/module';
import { handle } from '../http/handle.ts';
import type { App, HttpContext } from '../http/http-context.ts';
import { limitedBy, networkOf } from '../plugins/attempt-limits.ts';
import { partyOf } from './passkeys.ts';

const QUARTER_HOUR_MS = 15 * 60 * 1000;
/** Limit on attempts with reset links, counted by client network (contract 2). */
const LINK_TRIES = { attempts: 30, windowMs: QUARTER_HOUR_MS };
const PASSWORD_TRIES = { attempts: 10, windowMs: QUARTER_HOUR_MS };

/**
 * Registers the routes that change a password, request a reset link and reset a password (specification 5.9.5, 5.9.6
 * and 5.10).
 */
export function passwordRoutes(api: App, context: HttpContext): void {
  const { services } = context;
  const passwordTries = new Attempts(services.clock, PASSWORD_TRIES);
  const ofCaller = limitedBy(passwordTries, 'too many password attempts', ({ caller }) =>
    proofCounterOf(caller, services.clock.now()),
  );

  handle(api, routes.changePassword, (request) => services.passwords.change(request.caller, request.body), {
    rateLimit: ofCaller,
  });

  handle(
    api,
    routes.reauthenticate,
    (request) => {
      const { caller, body } = request;
      const { password, response } = body;
      if ((password === undefined) === (response === undefined)) throw oneProof();
      return response === undefined
        ? services.reauthenticate.withPassword(caller, password ?? '')
        : services.reauthenticate.withPasskey(caller, response, partyOf(request, services));
    },
    { rateLimit: ofCaller, authorizeResource: (caller) => services.reauthenticate.checkMayProve(caller) },
  );

  handle(
    api,
    routes.createResetLink,
    (request) => {
      const issued = services.resets.issueFor(request.caller, request.params.id);
      return { ...services.resetDelivery.handOver(issued), expiresAt: instant(issued.expiresAt) };
    },
    { authorizeResource: (caller, { id }) => services.users.checkReach(caller, id) },
  );

  resetRoutes(api, context);
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

function resetRoutes(api: App, { services }: HttpContext): void {
  const requests = new Attempts(services.clock, services.config.resetLimit);
  const linkTries = limitedBy(new Attempts(services.clock, LINK_TRIES), 'too many reset requests', networkOf);

  handle(
    api,
    routes.forgotPassword,
    (request) => services.resetDelivery.request(request.body.email, request.from),
    { rateLimit: limitedBy(requests, 'too many reset requests', networkOf) },
  );

  handle(
    api,
    routes.checkResetToken,
    (request) => {
      services.resets.check(request.body.token);
      return { ok: true };
    },
    { rateLimit: linkTries },
  );

  handle(
    api,
    routes.resetPassword,
    ({ body, from }) => services.resets.reset(body.token, body.newPassword, from),
    { rateLimit: linkTries },
  );
}
