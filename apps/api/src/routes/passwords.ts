import { ADMIN, Attempts, changePassword, FROM_SIGN_IN, PUBLIC } from '@svc/auth-core';
import {
  ChangePasswordBody,
  CheckResetBody,
  CheckResetResponse,
  ForgotPasswordBody,
  IdParams,
  ResetLinkResponse,
  ResetPasswordBody,
} from '@svc/contract';
import type { App, HttpContext } from '../http-context.ts';
import { limitedBy, networkOf } from '../plugins/attempt-limits.ts';
import { instant } from '../wire.ts';

const QUARTER_HOUR_MS = 15 * 60 * 1000;
/** Tries of reset links by address, and of the current password by user (contract 2). */
const LINK_TRIES = { attempts: 30, windowMs: QUARTER_HOUR_MS };
const PASSWORD_TRIES = { attempts: 10, windowMs: QUARTER_HOUR_MS };

/** Change, forgotten password, reset (specification 5.9.5, 5.9.6 and 5.10). */
export function passwordRoutes(api: App, context: HttpContext): void {
  const { services } = context;
  const passwordTries = new Attempts(services.clock, PASSWORD_TRIES);
  const ofCaller = limitedBy(
    passwordTries,
    'too many password attempts',
    (request) => request.caller.account.id,
  );

  api.post(
    '/auth/change-password',
    { config: { access: FROM_SIGN_IN, rateLimit: ofCaller }, schema: { body: ChangePasswordBody } },
    async (request, reply) => {
      await changePassword(request.caller, request.body, services);
      return reply.code(204).send();
    },
  );

  api.post(
    '/users/:id/reset-link',
    { config: { access: ADMIN }, schema: { params: IdParams, response: { 200: ResetLinkResponse } } },
    async (request) => {
      const issued = services.resets.issueFor(request.caller, request.params.id);
      return { ...services.resetDelivery.handOver(issued), expiresAt: instant(issued.expiresAt) };
    },
  );

  resetRoutes(api, context);
}

function resetRoutes(api: App, { services }: HttpContext): void {
  const requests = new Attempts(services.clock, services.config.resetLimit);
  const linkTries = limitedBy(new Attempts(services.clock, LINK_TRIES), 'too many reset requests', networkOf);

  api.post(
    '/auth/forgot-password',
    {
      config: { access: PUBLIC, rateLimit: limitedBy(requests, 'too many reset requests', networkOf) },
      schema: { body: ForgotPasswordBody },
    },
    async (request, reply) => {
      services.resetDelivery.request(request.body.email, request.from);
      return reply.code(204).send();
    },
  );

  api.post(
    '/auth/reset-password/check',
    {
      config: { access: PUBLIC, rateLimit: linkTries },
      schema: { body: CheckResetBody, response: { 200: CheckResetResponse } },
    },
    async (request) => {
      services.resets.check(request.body.token);
      return { ok: true };
    },
  );

  api.post(
    '/auth/reset-password',
    { config: { access: PUBLIC, rateLimit: linkTries }, schema: { body: ResetPasswordBody } },
    async (request, reply) => {
      const { token, newPassword } = request.body;
      await services.resets.reset(token, newPassword, request.from);
      return reply.code(204).send();
    },
  );
}
