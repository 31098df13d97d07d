/**
 * Path prefix of the API. This and the following names are part of the wire format (specification, naming conventions;
 * contract 1).
 */
export const API_PREFIX = '/svc/api';
export const SITE_PREFIX = '/svc';

/**
 * Path prefixes of the protocols: the parts outside `/svc/api`, which have their own body and error formats (contract
 * 10).
 */
export const PROTOCOL_PREFIXES = {
  oauth: '/svc/oauth',
  oidc: '/svc/oidc',
  scim: '/svc/scim/v2',
  mcp: '/svc/mcp',
} as const;

/**
 * Paths of the OAuth metadata of this server. Requests for other paths below `/.well-known` are forwarded to the
 * automation server (contract 10).
 */
export const WELL_KNOWN = {
  authorizationServer: '/.well-known/oauth-authorization-server/svc/oauth',
  apiResource: '/.well-known/oauth-protected-resource/svc/api',
  mcpResource: '/.well-known/oauth-protected-resource/svc/mcp',
} as const;

export const HEADERS = {
  accessKey: 'x-svc-access-key',
  token: 'x-svc-token',
  hubToken: 'x-svc-hub-token',
  // Sent by a further entrance of a grid with the create-session requests that it forwards to the first entrance, if the
  // client's own request had credentials of commands in its headers, which are not forwarded (contract 15.3).
  commandCredentials: 'x-svc-command-credentials',
  requestId: 'x-request-id',
  rateCategory: 'x-ratelimit-category',
  rateRemaining: 'x-ratelimit-remaining',
  rateCapacity: 'x-ratelimit-capacity',
  // Rate-limit headers of the IETF draft (httpapi group), sent in addition to the `X-RateLimit-` headers above.
  rateLimit: 'ratelimit',
  ratePolicy: 'ratelimit-policy',
  // Headers of the response to a forward-authentication request of a reverse proxy: the caller's account id and role.
  // The reverse proxy adds them to the request that it forwards.
  user: 'x-svc-user',
  role: 'x-svc-role',
} as const;

/** Format of a request id that a client may choose (contract 1). */
export const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Two headers, one defined by svc and one by Appium, with which a client asks a server not to log the body of the
 * request. They have the same meaning (contract 1).
 */
export const SENSITIVE_HEADERS = { own: 'x-auto-is-sensitive', appium: 'x-appium-is-sensitive' } as const;

export const SIGN_IN_COOKIE = 'svc_dashboard_session';

/**
 * Names of the cookies of a sign-in through an OpenID provider (contract 10.1). `transaction` is set while the person
 * signs in at the provider, `link` while a person still has to enter the password of the account that will be linked.
 */
export const OIDC_COOKIES = { transaction: 'svc_oidc_transaction', link: 'svc_oidc_link' } as const;

/**
 * Path of the route to which an OpenID provider sends the browser back. It is a constant of its own, so that code that
 * needs only this path does not have to load the route definitions.
 */
export const OIDC_CALLBACK_PATH = '/auth/oidc/callback';

/** Capability namespaces that carry credentials. If both are present, the first one has priority (contract 6.1). */
export const CREDENTIAL_NAMESPACES = ['svc:options', 'lab:options'] as const;

/**
 * Capability namespaces of the 1.x releases. They are never read, but secrets in them are masked wherever capabilities
 * are stored (contract 6.2).
 */
export const RETIRED_NAMESPACES = ['df:options', 'svc:df:options', 'appium:df:options'] as const;

/**
 * Capability fields that hold a secret. The server removes them before it forwards a create-session request to the
 * driver (contract 6.2).
 */
export const SECRET_CAPABILITIES = ['accessKey', 'token', 'sessionToken', 'leaseToken'] as const;

/**
 * Capability fields that are meant for the lab and not for the driver. The server removes them before it forwards a
 * create-session request to the driver (contract 11, 13, 17.3).
 */
export const LAB_CAPABILITIES = ['record', 'saveDeviceLogs', 'queueSeconds', 'keep'] as const;
/**
 * Name of a top-level capability that has the same meaning as the field `saveDeviceLogs` of `svc:options`
 * (specification 9.2, release 2.16).
 */
export const SAVE_DEVICE_LOGS = 'svc:save_device_logs';

/**
 * Values of the setting that decides which sessions are recorded (contract 11). With `disabled`, no session is
 * recorded, whatever its capabilities request.
 */
export const RECORDING_MODES = ['off', 'failures', 'all', 'disabled'] as const;
export type RecordingMode = (typeof RECORDING_MODES)[number];
/** What is removed from a phone between two holders (`SVC_CLEAN`, contract 17.3). */
export const CLEAN_MODES = ['off', 'apps', 'data'] as const;
export type CleanMode = (typeof CLEAN_MODES)[number];

/** Whether the usage of a month is shown by person, too. */
export const USAGE_BY_PERSON = ['off', 'on'] as const;
export type UsageByPerson = (typeof USAGE_BY_PERSON)[number];
/** Who may use adb on a phone from elsewhere (`SVC_ADB_REMOTE`, contract 16.2). */
export const ADB_REMOTE_MODES = ['off', 'holders'] as const;
/** Values of `svc:options.record`, by which a session requests its recording. */
export const RECORD_OPTIONS = ['off', 'failures', 'all'] as const;
export type RecordOption = (typeof RECORD_OPTIONS)[number];

/**
 * Kinds of phones (contract 14.3): a phone, an emulator or simulator, or a phone that the lab itself imitates.
 */
export const DEVICE_KINDS = ['real', 'emulator', 'virtual'] as const;
export type DeviceKind = (typeof DEVICE_KINDS)[number];

/** Maximum number of seconds for which a create-session request waits for a phone (contract 13). */
export const MAX_QUEUE_SECONDS = 600;
/** Maximum number of seconds for which a request for a lease waits for a phone (contract 13). */
export const MAX_LEASE_QUEUE_SECONDS = 60;

/** Prefix of a reference to an app of the library; the app's id follows it (contract 2). */
export const APP_REFERENCE = 'svc:app/';

/** Prefix of an access key. This prefix and the following ones show what kind of secret a text is (contract 4). */
export const ACCESS_KEY_PREFIX = 'svc_';
export const API_TOKEN_PREFIX = 'svct_';
export const LEASE_TOKEN_PREFIX = 'svcl_';
export const ATTACH_TOKEN_PREFIX = 'svca_';
/**
 * Values of `SVC_SPECTATORS`: whether a link can show a phone to no one, to accounts and teams, or to anybody with it.
 */
export const SPECTATOR_MODES = ['off', 'accounts', 'anyone'] as const;
export type SpectatorMode = (typeof SPECTATOR_MODES)[number];
/** Path prefix of attach addresses; the secret of the address follows it (contract 15.4). */
export const ATTACH_PATH = '/svc/attach/';
/** Maximum number of attach addresses of one session (contract 15.4). */
export const MAX_ATTACH_ADDRESSES = 4;

/** AI providers with an OpenAI-compatible API. `openai-compatible` is any other provider, at the configured address. */
export const AI_PROVIDERS = ['openai', 'ollama', 'openai-compatible'] as const;
export type AiProvider = (typeof AI_PROVIDERS)[number];

/** E-mail address of the first account, which is built in (contract 5). */
export const DEFAULT_ADMIN_EMAIL = 'admin@svc.local';
export const DEFAULT_ADMIN_PASSWORD = 'svc-admin-please-change';
/**
 * Passwords, besides the default one, that a page of the documentation shows or has shown, in lower case. They are
 * treated like the default password, because everyone can know them.
 */
export const EXAMPLE_PASSWORDS = ['choose your own'] as const;

/** Maximum length of the lab's name in characters. */
export const LONGEST_LAB_NAME = 60;

/** Maximum size of the lab's logo in bytes, and its maximum width and height in pixels. */
export const LARGEST_LOGO = { bytes: 64 * 1024, pixels: 1024 } as const;
