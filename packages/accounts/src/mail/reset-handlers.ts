import type { Caller, Clock } from '@svc/auth-core';
import { type Handlers, instant, type RouteLimit } from '@svc/module';
import { Attempts } from '../attempts/attempts.ts';
import { networkOf } from '../attempts/client-network.ts';
import type { ResetPassword } from '../passwords/reset-password.ts';
import type { ResetDelivery } from './reset-delivery.ts';

/** Limit on attempts with reset links, counted by client network (contract 2). */
const LINK_TRIES = { attempts: 30, windowMs: 15 * 60 * 1000 };

interface Tools {
  readonly resets: ResetPassword;
  readonly resetDelivery: ResetDelivery;
  /** Throws if the caller may not change the account. */
  readonly checkReach: (caller: Caller, id: string) => void;
  /** Limit on requests for reset links, by client network. */
  readonly requests: { readonly attempts: number; readonly windowMs: number };
  readonly clock: Clock;
}

/** Handlers that request a reset link and reset a password (specification 5.9.6, 5.10). */
export function resetHandlers({ resets, resetDelivery, checkReach, requests, clock }: Tools): Handlers {
  const limitedTo = (most: Tools['requests']): RouteLimit => ({
    attempts: new Attempts(clock, most),
    refusal: 'too many reset requests',
    key: networkOf,
  });
  const limit = limitedTo(LINK_TRIES);
  return {
    createResetLink: {
      authorize: (caller, { id }) => checkReach(caller, id),
      answer: ({ caller, params }) => {
        const issued = resets.issueFor(caller, params.id);
        return { ...resetDelivery.handOver(issued), expiresAt: instant(issued.expiresAt) };
      },
    },

    forgotPassword: {
      limit: limitedTo(requests),
      answer: ({ body, from }) => resetDelivery.request(body.email, from),
    },

    checkResetToken: {
      limit,
      answer: ({ body }) => {
        resets.check(body.token);
        return { ok: true };
      },
    },

    resetPassword: { limit, answer: ({ body, from }) => resets.reset(body.token, body.newPassword, from) },
  };
}
