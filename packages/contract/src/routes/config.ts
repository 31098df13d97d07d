import { ADMIN, SUPER_ADMIN } from '../access.ts';
import { defineRoute } from '../define-route.ts';
import type { TSchema } from '../json-schema.ts';
import { AI_PROVIDERS, type AiProvider } from '../names.ts';
import { documentedAs, literals, NullableText, named, Type } from './common.ts';

const ProviderSchema = named('AiProvider', literals(AI_PROVIDERS));

const Settings = named(
  'Settings',
  Type.Object({
    maxSessions: Type.Integer({ description: 'Below 1: no limit (specification 8.2).' }),
    eventLogRetentionDays: Type.Integer(),
    sessionRetentionDays: Type.Integer(),
    auditRetentionDays: Type.Integer(),
    aiProvider: documentedAs(
      Type.Unsafe<AiProvider | null>({ type: ['string', 'null'] }),
      Type.Union([ProviderSchema, Type.Null()]),
    ),
    aiModel: NullableText,
    aiBaseUrl: NullableText,
  }),
);

/** `defaults`: what would count if nothing was saved. */
const Shown = named('ShownSettings', Type.Object({ settings: Settings, defaults: Settings }));

/** Values are checked by their rules, which name the field (400 `invalid_setting`), and not by a schema. */
function setting<T>(description: string, said: TSchema) {
  const whole = `${description}; null: back to its default`;
  return Type.Optional(
    documentedAs(
      Type.Unsafe<T | null>({ description: whole }),
      Type.Union([said, Type.Null()], { description: whole }),
    ),
  );
}

const LONGEST_RETENTION_DAYS = 36_500;
const RetentionDays = Type.Integer({ minimum: 1, maximum: LONGEST_RETENTION_DAYS });

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
      maxSessions: setting<number>('whole number; below 1: no limit', Type.Integer()),
      eventLogRetentionDays: setting<number>('whole number of 1 to 36500', RetentionDays),
      sessionRetentionDays: setting<number>('whole number of 1 to 36500', RetentionDays),
      auditRetentionDays: setting<number>('whole number of its default to 36500', RetentionDays),
      aiProvider: setting<AiProvider>(`one of ${AI_PROVIDERS.join(', ')}`, ProviderSchema),
      aiModel: setting<string>('name of 1 to 200 characters', Type.String({ minLength: 1, maxLength: 200 })),
      aiBaseUrl: setting<string>(
        'http(s) address without user, query and fragment',
        Type.String({ format: 'uri' }),
      ),
    }),
    responses: { 200: Shown },
    errors: ['invalid_setting'],
  }),
  testAi: defineRoute({
    method: 'POST',
    path: '/config/test-ai',
    access: SUPER_ADMIN,
    category: 'ai',
    summary: 'Ask the AI provider that is set for its models',
    responses: {
      200: named(
        'AiTest',
        Type.Object({
          ok: Type.Boolean(),
          models: Type.Optional(Type.Array(Type.String(), { description: 'Ids, at most 200; when `ok`.' })),
          message: Type.Optional(Type.String({ description: 'What went wrong; when not `ok`.' })),
          withKey: Type.Boolean({ description: 'Whether it was asked with `SVC_AI_API_KEY`.' }),
        }),
      ),
    },
  }),
};
