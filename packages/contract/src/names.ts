/** Names on the wire (specification, naming conventions; contract 1). */
export const API_PREFIX = '/svc/api';
export const SITE_PREFIX = '/svc';

export const HEADERS = {
  accessKey: 'x-svc-access-key',
  token: 'x-svc-token',
  hubToken: 'x-svc-hub-token',
  requestId: 'x-request-id',
  rateCategory: 'x-ratelimit-category',
  rateRemaining: 'x-ratelimit-remaining',
  rateCapacity: 'x-ratelimit-capacity',
  // Draft headers of the IETF's httpapi group, sent beside the ones above.
  rateLimit: 'ratelimit',
  ratePolicy: 'ratelimit-policy',
  // The authenticated caller, for the server behind a proxy.
  user: 'x-svc-user',
  role: 'x-svc-role',
} as const;

/** Format of a request id that a sender may choose (contract 1). */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The header that says "do not log this body": ours, and Appium's, which means the same (contract 1). */
export const SENSITIVE_HEADERS = { own: 'x-auto-is-sensitive', appium: 'x-appium-is-sensitive' } as const;

export const SIGN_IN_COOKIE = 'svc_dashboard_session';

/** Capability namespaces that carry credentials; the first one wins (contract 6.1). */
export const CREDENTIAL_NAMESPACES = ['svc:options', 'lab:options'] as const;

/**
 * Namespaces of the 1.x line. They are never read, but secrets in them are masked wherever they are kept (contract
 * 6.2).
 */
export const RETIRED_NAMESPACES = ['df:options', 'svc:df:options', 'appium:df:options'] as const;

/** Capability fields that hold a secret, which the gate removes (contract 6.2). */
export const SECRET_CAPABILITIES = ['accessKey', 'token', 'sessionToken', 'leaseToken'] as const;

/** Capability fields that ask the lab for something and are not for the driver, so the gate removes them (contract 11). */
export const LAB_CAPABILITIES = ['record', 'saveDeviceLogs'] as const;
/** The same as `saveDeviceLogs` of `svc:options`, as a capability of its own (specification 9.2 from 2.16). */
export const SAVE_DEVICE_LOGS = 'svc:save_device_logs';

/** What is recorded of sessions (contract 11). `disabled`: nothing, whatever a session asks for. */
export const RECORDING_MODES = ['off', 'failures', 'all', 'disabled'] as const;
export type RecordingMode = (typeof RECORDING_MODES)[number];
/** What one session may ask for (`svc:options.record`). */
export const RECORD_OPTIONS = ['off', 'failures', 'all'] as const;
export type RecordOption = (typeof RECORD_OPTIONS)[number];

/** Prefix of the reference to an app of the library; the app's id follows (contract 2). */
export const APP_REFERENCE = 'svc:app/';

/** Prefixes of opaque secrets (contract 4). */
export const ACCESS_KEY_PREFIX = 'svc_';
export const API_TOKEN_PREFIX = 'svct_';
export const LEASE_TOKEN_PREFIX = 'svcl_';

/** AI providers with an OpenAI-compatible API. `openai-compatible` is any other provider, at the configured address. */
export const AI_PROVIDERS = ['openai', 'ollama', 'openai-compatible'] as const;
export type AiProvider = (typeof AI_PROVIDERS)[number];

/** The built-in first account (contract 5). */
export const DEFAULT_ADMIN_EMAIL = 'admin@svc.local';
export const DEFAULT_ADMIN_PASSWORD = 'svc-admin-please-change';
/** Other passwords that a page of the documentation shows or has shown, in lower case. */
export const EXAMPLE_PASSWORDS = ['choose your own'] as const;
