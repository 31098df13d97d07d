import { ADMIN, SUPER_ADMIN } from '../access.ts';
import { route } from '../define-route.ts';
import { feature, type RouteTag } from '../feature.ts';
import type { TSchema } from '../json-schema.ts';
import {
  AI_PROVIDERS,
  type AiProvider,
  CLEAN_MODES,
  type CleanMode,
  LARGEST_LOGO,
  LONGEST_LAB_NAME,
  RECORDING_MODES,
  type RecordingMode,
  USAGE_BY_PERSON,
  type UsageByPerson,
} from '../names.ts';
import { documentedAs, literals, NullableText, named, namedObject, orNull, Type } from './common.ts';

const ProviderSchema = named('AiProvider', literals(AI_PROVIDERS));

const RecordingModeSchema = named('RecordingMode', literals(RECORDING_MODES));

const CleanModeSchema = named('CleanMode', literals(CLEAN_MODES));

const UsageByPersonSchema = named('UsageByPerson', literals(USAGE_BY_PERSON));

const Settings = namedObject('Settings', {
  maxSessions: Type.Integer({ description: 'A number below 1 means no limit (specification 8.2).' }),
  eventLogRetentionDays: Type.Integer(),
  sessionRetentionDays: Type.Integer(),
  auditRetentionDays: Type.Integer(),
  recording: RecordingModeSchema,
  clean: CleanModeSchema,
  labName: NullableText,
  usageByPerson: UsageByPersonSchema,
  aiProvider: documentedAs(
    Type.Unsafe<AiProvider | null>({ type: ['string', 'null'] }),
    orNull(ProviderSchema),
  ),
  aiModel: NullableText,
  aiBaseUrl: NullableText,
});

/** Schema of the settings. `defaults` holds the values that apply to settings without a saved value. */
const Shown = namedObject('ShownSettings', { settings: Settings, defaults: Settings });

/**
 * Returns the schema of one setting. It accepts any value, because later rules check the value and name the wrong
 * setting in their error (400 `invalid_setting`).
 */
function setting<T>(description: string, documented: TSchema) {
  const withNull = `${description}; null restores the default`;
  return Type.Optional(
    documentedAs(
      Type.Unsafe<T | null>({ description: withNull }),
      orNull(documented, { description: withNull }),
    ),
  );
}

const LONGEST_RETENTION_DAYS = 36_500;
const RetentionDays = Type.Integer({ minimum: 1, maximum: LONGEST_RETENTION_DAYS });

const GivenSetting = namedObject('GivenSetting', {
  name: Type.String({ description: 'Name of the variable, such as `SVC_MAX_SESSIONS`.' }),
  from: documentedAs(
    Type.Unsafe<'environment' | 'option' | 'file'>({ type: 'string' }),
    literals(['environment', 'option', 'file']),
  ),
  value: orNull(Type.String(), {
    description:
      'Null for a secret, an unusable value, and a value that is too long. Of an address, only scheme, host and port are shown.',
  }),
  isUsable: Type.Boolean({
    description: 'False if the default applies, because the value cannot be used.',
  }),
});

const TAG: RouteTag = { name: 'Settings', description: 'Settings of the running server.' };

export const configRoutes = feature(TAG, {
  settings: route.get('/config', {
    access: ADMIN,
    summary: 'Settings in effect, and their defaults',
    responses: { 200: Shown },
  }),
  saveSettings: route.post('/config', {
    access: SUPER_ADMIN,
    summary: 'Save the settings in the request, or none of them if one is invalid',
    body: Type.Object({
      maxSessions: setting<number>('whole number; below 1 means no limit', Type.Integer()),
      eventLogRetentionDays: setting<number>('whole number from 1 to 36500', RetentionDays),
      sessionRetentionDays: setting<number>('whole number from 1 to 36500', RetentionDays),
      auditRetentionDays: setting<number>('whole number from its default to 36500', RetentionDays),
      recording: setting<RecordingMode>(
        `one of ${RECORDING_MODES.join(', ')}, unless SVC_RECORDING is disabled`,
        RecordingModeSchema,
      ),
      clean: setting<CleanMode>(`one of ${CLEAN_MODES.join(', ')}`, CleanModeSchema),
      labName: setting<string>(
        `name of 1 to ${LONGEST_LAB_NAME} characters that the pages show`,
        Type.String({ minLength: 1, maxLength: LONGEST_LAB_NAME }),
      ),
      usageByPerson: setting<UsageByPerson>(`one of ${USAGE_BY_PERSON.join(', ')}`, UsageByPersonSchema),
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
  listGivenSettings: route.get('/config/given', {
    access: ADMIN,
    summary: 'Settings with which the server was started; all others have their defaults',
    responses: { 200: Type.Array(GivenSetting) },
  }),
  saveLogo: route.put('/config/logo', {
    access: SUPER_ADMIN,
    summary: 'Show a picture as the logo of the lab',
    description: 'Every client can read the picture at `/svc/lab-logo`.',
    body: Type.Object({
      png: Type.String({
        maxLength: Math.ceil(LARGEST_LOGO.bytes / 3) * 4,
        description: `PNG picture in Base64: at most ${LARGEST_LOGO.bytes / 1024} KiB, and ${LARGEST_LOGO.pixels} pixels wide and high.`,
      }),
    }),
    responses: { 204: null },
    errors: ['invalid_setting'],
  }),
  deleteLogo: route.delete('/config/logo', {
    access: SUPER_ADMIN,
    summary: 'Show the default logo again',
    responses: { 204: null },
  }),
  testAi: route.post('/config/test-ai', {
    access: SUPER_ADMIN,
    category: 'ai',
    summary: 'List the models of the configured AI provider',
    responses: {
      200: namedObject('AiTest', {
        ok: Type.Boolean(),
        models: Type.Optional(
          Type.Array(Type.String(), { description: 'At most 200 model ids; present if `ok` is true.' }),
        ),
        message: Type.Optional(Type.String({ description: 'What went wrong; present if `ok` is false.' })),
        withKey: Type.Boolean({
          description: 'Whether the request to the provider carried `SVC_AI_API_KEY`.',
        }),
      }),
    },
  }),
});
