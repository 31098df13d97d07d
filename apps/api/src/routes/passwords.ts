import { ADMIN, Attempts, changePassword, FROM_SIGN_IN, PUBLIC } from '@svc/auth-core';
import {
  ChangePasswordBody,
  CheckResetAnswer,
  CheckResetBody,
  ForgotPasswordBody,
  IdParams,
  ResetLinkAnswer,
  ResetPasswordBody,
} from '@svc/contract';
import type { App, Host } from '../host.ts';
import { limitedBy, networkOf } from '../plugins/attempt-limits.ts';
import { instant } from '../wire.ts';

const QUARTER_HOUR_MS = 15 * 60 * 1000;
/** Tries of reset links by address, and of the current password by user (contract 2). */
const LINK_TRIES = { attempts: 30, windowMs: QUARTER_HOUR_MS };
const PASSWORD_TRIES = { attempts: 10, windowMs: QUARTER_HOUR_MS };

/** Change, forgotten password, reset (specification 5.9.5, 5.9.6 and 5.10). */
export function passwordRoutes(api: App, host: Host): void {
  const { deps } = host;
  const passwordTries = new Attempts(deps.clock, PASSWORD_TRIES);
  const ofCaller = limitedBy(
    passwordTries,
    'too many password attempts',
    (request) => request.caller.account.id,
  );

  api.post(
    '/auth/change-password',
    { config: { access: FROM_SIGN_IN, rateLimit: ofCaller }, schema: { body: ChangePasswordBody } },
    async (request, reply) => {
      await changePassword(request.caller, request.body, deps);
      return reply.code(204).send();
    },
  );

  api.post(
    '/users/:id/reset-link',
    { config: { access: ADMIN }, schema: { params: IdParams, response: { 200: ResetLinkAnswer } } },
    async (request) => {
      const issued = deps.resets.issueFor(request.caller, request.params.id);
      return { ...deps.resetDelivery.handOver(issued), expiresAt: instant(issued.expiresAt) };
    },
  );

  resetRoutes(api, host);
}

function resetRoutes(api: App, { deps }: Host): void {
  const requests = new Attempts(deps.clock, deps.config.resetLimit);
  const linkTries = limitedBy(new Attempts(deps.clock, LINK_TRIES), 'too many reset requests', networkOf);

  api.post(
    '/auth/forgot-password',
    {
      config: { access: PUBLIC, rateLimit: limitedBy(requests, 'too many reset requests', networkOf) },
      schema: { body: ForgotPasswordBody },
    },
    async (request, reply) => {
      deps.resetDelivery.request(request.body.email, request.from);
      return reply.code(204).send();
    },
  );

  api.post(
    '/auth/reset-password/check',
    {
      config: { access: PUBLIC, rateLimit: linkTries },
      schema: { body: CheckResetBody, response: { 200: CheckResetAnswer } },
    },
    async (request) => {
      deps.resets.check(request.body.token);
      return { ok: true };
    },
  );

  api.post(
    '/auth/reset-password',
    { config: { access: PUBLIC, rateLimit: linkTries }, schema: { body: ResetPasswordBody } },
    async (request, reply) => {
      const { token, newPassword } = request.body;
      await deps.resets.reset(token, newPassword, request.from);
      return reply.code(204).send();
    },
  );
}
