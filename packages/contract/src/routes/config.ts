import { ADMIN, SUPER_ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import { AI_PROVIDERS, type AiProvider } from '../names.ts';
import { NullableText, Type } from './common.ts';

const Settings = Type.Object({
  /** Below 1: no limit (specification 8.2). */
  maxSessions: Type.Integer(),
  eventLogRetentionDays: Type.Integer(),
  sessionRetentionDays: Type.Integer(),
  auditRetentionDays: Type.Integer(),
  aiProvider: Type.Unsafe<AiProvider | null>({ type: ['string', 'null'] }),
  aiModel: NullableText,
  aiBaseUrl: NullableText,
});

/** `defaults`: what would count if nothing was saved. */
const Shown = Type.Object({ settings: Settings, defaults: Settings });

/** Values are checked by their rules, which name the field (400 `invalid_setting`), and not by a schema. */
function setting<T>(description: string) {
  return Type.Optional(Type.Unsafe<T | null>({ description: `${description}; null: back to its default` }));
}

export const configRoutes = {
  settings: defineRoute({
    method: 'GET',
    path: '/config',
    access: ADMIN,
    summary: 'Settings as they count now, and their defaults',
    responses: { 200: Shown },
  }),
  saveSettings: defineRoute({
    method: 'POST',
    path: '/config',
    access: SUPER_ADMIN,
    summary: 'Save settings, all that are named or none',
    body: Type.Object({
      maxSessions: setting<number>('whole number; below 1: no limit'),
      eventLogRetentionDays: setting<number>('whole number of 1 to 36500'),
      sessionRetentionDays: setting<number>('whole number of 1 to 36500'),
      auditRetentionDays: setting<number>('whole number of its default to 36500'),
      aiProvider: setting<AiProvider>(`one of ${AI_PROVIDERS.join(', ')}`),
      aiModel: setting<string>('name of 1 to 200 characters'),
      aiBaseUrl: setting<string>('http(s) address without user, query and fragment'),
    }),
    responses: { 200: Shown },
  }),
  testAi: defineRoute({
    method: 'POST',
    path: '/config/test-ai',
    access: SUPER_ADMIN,
    category: 'ai',
    summary: 'Ask the AI provider that is set for its models',
    responses: {
      200: Type.Object({
        ok: Type.Boolean(),
        /** Ids, at most 200; when `ok`. */
        models: Type.Optional(Type.Array(Type.String())),
        /** What went wrong; when not `ok`. */
        message: Type.Optional(Type.String()),
        /** Whether it was asked with `SVC_AI_API_KEY`. */
        withKey: Type.Boolean(),
      }),
    },
  }),
};
