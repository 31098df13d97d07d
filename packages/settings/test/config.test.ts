import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../src/environment/config-error.ts';
import type { Config } from '../src/environment/read-config.ts';
import { optionName } from '../src/environment/reader.ts';
import { read } from './read.ts';

interface Row {
  readonly pick: (config: Config) => unknown;
  readonly preset: unknown;
  /** Pairs of a usable text and the value that it gives. */
  readonly usable: readonly (readonly [string, unknown])[];
  readonly unusable?: readonly string[];
  /** Whether an unusable value stops the start; otherwise it gives one warning and the default. */
  readonly stops?: true;
}

const DAY = 86_400_000;
const milliseconds = (pick: Row['pick'], preset: number, least = 1): Row => ({
  pick,
  preset,
  usable: [
    [`${least}`, least],
    [' 5000 ', 5000],
    [`${2 * DAY}`, 2 * DAY],
  ],
  unusable: ['0', '-1', '1.5', '1e4', '0x10', 'ten', '5s', 'NaN', 'Infinity', ' ', '9'.repeat(16)],
});
const offUnlessTrue = (pick: Row['pick']): Row => ({
  pick,
  preset: false,
  usable: [
    ['true', true],
    ['false', false],
  ],
  unusable: ['TRUE', 'True', '1', 'yes', 'on', ' true', 'x'],
});
const onUnlessFalse = (pick: Row['pick']): Row => ({
  pick,
  preset: true,
  usable: [
    ['false', false],
    ['true', true],
  ],
  unusable: ['FALSE', '0', 'no', 'off', ' false', 'x'],
});
const requires = (pick: Row['pick']): Row => ({
  pick,
  preset: false,
  usable: [
    ...['true', '1', 'yes', 'on', 'TRUE', 'Yes', 'ON', ' on '].map((text) => [text, true] as const),
    ...['false', '0', 'no', 'off', 'OFF', ' '].map((text) => [text, false] as const),
  ],
  unusable: ['enabled', '2', 'y', 'truee', 'hunter2'],
});

const PHONE = '{"udid":"u","name":"n","platform":"iOS","osVersion":"17"}';
const listedPhone = (change: object) => ({
  udid: 'u',
  name: 'n',
  platform: 'iOS',
  osVersion: '17',
  mjpegUrl: null,
  h264Url: null,
  wdaUrl: null,
  adb: false,
  ...change,
});

const TABLE: Record<string, Row> = {
  SVC_DATA_DIR: {
    pick: (config) => [config.dataDir, config.databaseFile],
    preset: ['/home/lab/.cache/svc', '/home/lab/.cache/svc/svc.db'],
    usable: [
      ['/data', ['/data', '/data/svc.db']],
      [' /data ', ['/data', '/data/svc.db']],
    ],
    unusable: [' '],
  },
  SVC_DATABASE_URL: {
    pick: (config) => config.databaseFile,
    preset: '/home/lab/.cache/svc/svc.db',
    usable: [
      ['file:/data/other.db', '/data/other.db'],
      ['file:///data/other.db', '/data/other.db'],
      ['file:./here.db', './here.db'],
      [' file:/data/x.db ', '/data/x.db'],
    ],
    unusable: [
      'postgresql://lab:hunter2@db/svc',
      'mysql://x',
      'file:',
      '/data/other.db',
      'sqlite:x',
      ':memory:',
      ' ',
    ],
    stops: true,
  },
  SVC_AUTO_MIGRATE: onUnlessFalse((config) => config.autoMigrate),
  SVC_LOG_LEVEL: {
    pick: (config) => config.logLevel,
    preset: 'info',
    usable: [
      ...['debug', 'info', 'warn', 'error', 'silent'].map((level) => [level, level] as const),
      [' WARN ', 'warn'],
    ],
    unusable: ['verbose', '3', 'infos', ' '],
  },
  SVC_AUTH_DISABLED: offUnlessTrue((config) => config.authDisabled),
  SVC_REQUIRE_SESSION_TOKEN: requires((config) => config.requireSessionToken),
  SVC_REQUIRE_COMMAND_AUTH: requires((config) => config.requireCommandAuth),
  SVC_COMMAND_AUTH_REPORT_ONLY: offUnlessTrue((config) => config.commandAuthReportOnly),
  SVC_ALLOWED_ORIGINS: {
    pick: ({ allowedOrigins }) =>
      ['https://ci.test', 'http://tools.test'].map((one) => allowedOrigins.lists(one)),
    preset: [false, false],
    usable: [
      ['https://ci.test', [true, false]],
      ['https://ci.test,tools.test', [true, true]],
      [' , ', [false, false]],
    ],
    unusable: ['*', 'https://ci.test/app', 'https://ci.test,ftp://tools.test', 'https://hunter2@ci.test'],
  },
  SVC_WEBHOOK_ALLOW: {
    pick: (config) => config.webhookAllow,
    preset: [],
    usable: [
      ['127.0.0.1', ['127.0.0.1']],
      ['127.0.0.0/8, ::1, fe80::/10', ['127.0.0.0/8', '::1', 'fe80::/10']],
      ['Hooks.Test, localhost', ['hooks.test', 'localhost']],
    ],
    unusable: [
      ...[
        'http://hooks.test',
        'hooks.test:80',
        'hooks.test/path',
        'user@hooks.test',
        '*',
        '*.hooks.test',
        ',',
      ],
      ...['127.1', '2130706433', '0x7f000001', '010.0.0.1', '10.0.0.256', '10.0.0.1/33', '[::1]', '::1/129'],
    ],
  },
  SVC_NODE_ALLOW: {
    pick: (config) => config.nodeAllow,
    preset: [],
    usable: [
      ['127.0.0.1', ['127.0.0.1']],
      ['Node-1.Lab, 127.0.0.0/8, ::1', ['node-1.lab', '127.0.0.0/8', '::1']],
    ],
    unusable: ['http://node-1.lab', 'node-1.lab:4723', '*', ',', '127.1', '10.0.0.1/33', '[::1]'],
  },
  SVC_WORKLOAD_ALLOW: {
    pick: (config) => config.workloadAllow,
    preset: [],
    usable: [
      ['127.0.0.1', ['127.0.0.1']],
      ['Node-1.Lab, 127.0.0.0/8, ::1', ['node-1.lab', '127.0.0.0/8', '::1']],
    ],
    unusable: ['http://node-1.lab', 'node-1.lab:4723', '*', ',', '127.1', '10.0.0.1/33', '[::1]'],
  },
  SVC_TRUSTED_PROXIES: {
    pick: (config) => config.trustedProxies,
    preset: [],
    usable: [
      ['10.0.0.1', ['10.0.0.1']],
      ['10.0.0.0/8, ::1, fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
      ['::ffff:10.0.0.1', ['::ffff:10.0.0.1']],
      ['0.0.0.0/0', ['0.0.0.0/0']],
    ],
    unusable: [
      ...[
        'proxy.test',
        '10.0.0',
        '10.0.0.256',
        '010.0.0.1',
        '10.0.0.1/33',
        '::1/129',
        '::::',
        'dead',
        '1',
        '10.0.0.1/',
        '/8',
      ],
      ...['10.0.0.1/8/8', '*', 'loopback', ',', '10.0.0.1;10.0.0.2', '10.0.0.1:80', '[::1]', 'fe80::1%eth0'],
    ],
    stops: true,
  },
  SVC_PUBLIC_URL: {
    pick: (config) => config.publicUrl,
    preset: null,
    usable: [
      ['https://lab.test', 'https://lab.test'],
      ['https://lab.test/', 'https://lab.test'],
      ['http://lab.test:4723/svc/', 'http://lab.test:4723'],
      ['HTTPS://Lab.Test:443/svc/', 'https://lab.test'],
      ['http://[::1]:4723', 'http://[::1]:4723'],
    ],
    unusable: [
      ...[
        'lab.test',
        '//lab.test',
        'ftp://lab.test',
        'https://lab.test/other',
        'https://lab.test/svc/login',
        ' ',
      ],
      ...['https://lab.test?x=1', 'https://lab.test/?', 'https://lab.test/svc/#x', 'https://ana@lab.test'],
      ...[
        'https://:hunter2@lab.test',
        'https://lab.test/SVC/',
        'https://lab.test:99999',
        'javascript:alert(1)',
      ],
    ],
  },
  SVC_MAIL_FROM: {
    pick: (config) => config.mail.from,
    preset: 'svc <no-reply@svc.local>',
    usable: [['Lab <lab@lab.test>', 'Lab <lab@lab.test>']],
    unusable: [' '],
  },
  SVC_PASSWORD_RESET_LOG_FALLBACK: offUnlessTrue((config) => config.passwordResetLogFallback),
  SVC_REVOCATION_CASCADE: offUnlessTrue((config) => config.revocationCascade),
  SVC_PASSWORD_BLOCKLIST: onUnlessFalse((config) => config.passwordBlocklist),
  SVC_USER_SESSION_TTL_MS: milliseconds((config) => config.signInTtlMs, DAY, 1),
  SVC_RESET_TOKEN_TTL_MS: milliseconds((config) => config.resetLinkTtlMs, 3_600_000, 1),
  SVC_LOGIN_RATE_LIMIT_ATTEMPTS: milliseconds((config) => config.loginLimit.attempts, 5),
  SVC_ACCOUNT_RATE_LIMIT_ATTEMPTS: {
    pick: (config) => config.accountLimit,
    preset: 100,
    usable: [
      ['0', 0],
      ['1', 1],
      ['20', 20],
    ],
    unusable: ['-1', '1.5', 'many'],
  },
  SVC_LOGIN_RATE_LIMIT_WINDOW_MS: milliseconds((config) => config.loginLimit.windowMs, 300_000),
  SVC_RESET_RATE_LIMIT_ATTEMPTS: milliseconds((config) => config.resetLimit.attempts, 3),
  SVC_RESET_RATE_LIMIT_WINDOW_MS: milliseconds((config) => config.resetLimit.windowMs, 900_000),
  SVC_MCP_TOKEN_TTL_SEC: {
    pick: (config) => config.mcpTokenTtl,
    preset: 86_400,
    usable: [
      ['1', 1],
      ['604800', 604_800],
    ],
    unusable: ['0', '-60', '1h', '9999999999999'],
  },
  SVC_JWT_ISSUER: {
    pick: (config) => config.jwtIssuer,
    preset: 'svc',
    usable: [['https://lab.test', 'https://lab.test']],
    unusable: [' '],
  },
  SVC_BCRYPT_COST: {
    pick: (config) => config.bcryptCost,
    preset: 12,
    usable: [
      ['10', 10],
      ['15', 15],
    ],
    unusable: ['9', '16', '12.5', 'high'],
  },
  SVC_BOOTSTRAP_ADMIN_EMAIL: {
    pick: (config) => config.bootstrap.email,
    preset: null,
    usable: [
      ['boss@lab.test', 'boss@lab.test'],
      [' boss@localhost ', 'boss@localhost'],
    ],
    unusable: [
      'boss',
      'boss@',
      '@lab.test',
      'a b@lab.test',
      'a@b@c',
      'Boss <boss@lab.test>',
      `${'x'.repeat(260)}@y.z`,
    ],
    stops: true,
  },
  SVC_BOOTSTRAP_RESET_PASSWORD: offUnlessTrue((config) => config.bootstrap.resetPassword),
  SVC_MAX_SESSIONS: {
    pick: (config) => config.maxSessions,
    preset: 0,
    usable: [
      ['8', 8],
      ['0', 0],
      ['-1', 0],
    ],
    unusable: ['many', '1.5', ' '],
  },
  SVC_QUEUE_SECONDS: {
    pick: (config) => config.queueSeconds,
    preset: 0,
    usable: [
      ['0', 0],
      ['600', 600],
    ],
    unusable: ['601', '-1', '1.5', 'long'],
  },
  SVC_START_SECONDS: {
    pick: (config) => config.drivers.startSeconds,
    preset: 600,
    usable: [
      ['0', 0],
      ['86400', 86400],
    ],
    unusable: ['86401', '-1', '1.5', 'long'],
  },
  SVC_MAX_IDLE_SECONDS: {
    pick: (config) => config.drivers.maxIdleSeconds,
    preset: 0,
    usable: [
      ['0', 0],
      ['86400', 86400],
    ],
    unusable: ['86401', '-1', '1.5', 'long'],
  },
  SVC_PROBE_SECONDS: {
    pick: (config) => config.probes.seconds,
    preset: 60,
    usable: [
      ['0', 0],
      ['86400', 86400],
    ],
    unusable: ['86401', '-1', '1.5', 'often'],
  },
  SVC_MIN_BATTERY: {
    pick: (config) => config.probes.minBattery,
    preset: 15,
    usable: [
      ['0', 0],
      ['100', 100],
    ],
    unusable: ['101', '-1', '1.5', 'full'],
  },
  SVC_MAX_TEMPERATURE: {
    pick: (config) => config.probes.maxTemperature,
    preset: 50,
    usable: [
      ['0', 0],
      ['200', 200],
    ],
    unusable: ['201', '-1', '1.5', 'hot'],
  },
  SVC_MAX_SESSION_MINUTES: {
    pick: (config) => config.drivers.maxSessionMinutes,
    preset: 0,
    usable: [
      ['0', 0],
      ['44640', 44640],
    ],
    unusable: ['44641', '-1', '1.5', 'long'],
  },
  SVC_DRIVER_PORTS: {
    pick: (config) => config.drivers.ports,
    preset: { first: 20_000, last: 20_999 },
    usable: [
      ['21000-21003', { first: 21_000, last: 21_003 }],
      [' 65535 - 65535 ', { first: 65_535, last: 65_535 }],
    ],
    unusable: ['20000', '80-90', '21000-20000', '60000-70000', 'all'],
  },
  SVC_HOST_CAPABILITIES: {
    pick: (config) => config.drivers.hostCapabilities,
    preset: [],
    usable: [
      ['keystorePath', ['keystorePath']],
      [' appium:systemPort, keychainPath ,', ['systemPort', 'keychainPath']],
    ],
    unusable: [',', 'svc:options', 'a b', '*'],
  },
  SVC_SPECTATORS: {
    pick: (config) => config.spectators,
    preset: 'accounts',
    usable: [
      ['off', 'off'],
      ['anyone', 'anyone'],
    ],
    unusable: ['everybody', 'true'],
  },
  SVC_LEASES_PER_ACCOUNT: {
    pick: (config) => config.leasesPerAccount,
    preset: 8,
    usable: [
      ['20', 20],
      ['0', 0],
    ],
    unusable: ['-1', '1.5', 'many'],
  },
  SVC_MAX_CONNECTIONS_PER_ADDRESS: {
    pick: (config) => config.maxConnectionsPerAddress,
    preset: 512,
    usable: [
      ['64', 64],
      ['0', 0],
    ],
    unusable: ['-1', 'many', '1.5'],
  },
  SVC_CREATE_MAX_BYTES: {
    pick: (config) => config.createMaxBytes,
    preset: 524_288,
    usable: [
      ['1', 1],
      ['16777216', 16_777_216],
    ],
    unusable: ['0', '-1', '512KiB', '16777217'],
  },
  SVC_APP_MAX_BYTES: {
    pick: (config) => config.appMaxBytes,
    preset: 2 * 1024 ** 3,
    usable: [['1048576', 1_048_576]],
    unusable: ['0', '-1', '2GiB'],
  },
  SVC_APPS_MAX_BYTES: {
    pick: (config) => config.appsMaxBytes,
    preset: 20 * 1024 ** 3,
    usable: [['1048576', 1_048_576]],
    unusable: ['0', '-1', 'all'],
  },
  SVC_EVENT_LOG_RETENTION_DAYS: {
    pick: (config) => config.eventLogRetentionDays,
    preset: 30,
    usable: [['7', 7]],
    unusable: ['0', '-1', 'forever'],
  },
  SVC_SESSION_RETENTION_DAYS: {
    pick: (config) => config.sessionRetentionDays,
    preset: 365,
    usable: [
      ['90', 90],
      ['1', 1],
    ],
    unusable: ['0', '-1', 'forever', '1.5'],
  },
  SVC_DEVICES: {
    pick: (config) => config.devices,
    preset: [],
    usable: [
      [
        '[{"udid":"u","name":"n","platform":"iOS","osVersion":"17","mjpegServerPort":9100,"adb":true}]',
        [listedPhone({ mjpegUrl: 'http://127.0.0.1:9100/', adb: true })],
      ],
      [
        '[{"udid":"u","name":"n","platform":"iOS","osVersion":"17","mjpegUrl":"http://h/s","h264Url":"ws://h/v"}]',
        [listedPhone({ mjpegUrl: 'http://h/s', h264Url: 'ws://h/v' })],
      ],
      [
        '[{"udid":"u","name":"n","platform":"iOS","osVersion":"17","wdaUrl":"http://mac:8100/wda/"}]',
        [listedPhone({ wdaUrl: 'http://mac:8100/wda' })],
      ],
      ['[]', []],
    ],
    unusable: [
      ...['x', '{}', '[1]', '[{}]', '[{"udid":"hunter2"}]', `[${PHONE},${PHONE}]`],
      ...[
        '{"udid":"u","name":"n","platform":"p","osVersion":17}',
        '{"udid":"","name":"n","platform":"p","osVersion":"1"}',
        '{"udid":"a\\nb","name":"n","platform":"p","osVersion":"1"}',
        `{"udid":"${'x'.repeat(257)}","name":"n","platform":"p","osVersion":"1"}`,
      ].map((entry) => `[${entry}]`),
      ...[
        '"colour":"red"',
        '"adb":"true"',
        '"mjpegServerPort":0',
        '"mjpegServerPort":"9100"',
        '"mjpegUrl":"ftp://h/"',
        '"mjpegUrl":"http://hunter2:x@h/"',
        '"mjpegUrl":"http://h/","mjpegServerPort":1',
        '"h264Url":"http://h/"',
        '"wdaUrl":"ws://h/"',
        '"wdaUrl":"http://h/?hunter2"',
        '"wdaUrl":"http://hunter2:x@h/"',
      ].map((field) => `[${PHONE.replace('}', `,${field}}`)}]`),
    ],
    stops: true,
  },
  SVC_ADB: {
    pick: (config) => config.adb,
    preset: null,
    usable: [
      ['true', { host: '127.0.0.1', port: 5037 }],
      ['adb.lab:5038', { host: 'adb.lab', port: 5038 }],
      ['[::1]:5037', { host: '::1', port: 5037 }],
      ['false', null],
    ],
    unusable: [
      'TRUE',
      '1',
      'yes',
      '5037',
      ':5037',
      'host:',
      'host:0',
      'host:99999',
      'http://h:1',
      'hunter2@h:1',
      ' ',
    ],
    stops: true,
  },
  SVC_IOS: {
    pick: (config) => config.ios.fixed,
    preset: null,
    usable: [
      ['true', true],
      ['false', false],
    ],
    unusable: ['TRUE', '1', 'hunter2'],
    stops: true,
  },
  SVC_IOS_WDA: {
    pick: (config) => config.ios.wda.isOn,
    preset: false,
    usable: [
      ['true', true],
      ['false', false],
    ],
    unusable: ['TRUE', '1', 'yes'],
  },
  SVC_IOS_WDA_BUNDLE_ID: {
    pick: (config) => config.ios.wda.bundleId,
    preset: null,
    usable: [['com.acme.WebDriverAgentRunner.xctrunner', 'com.acme.WebDriverAgentRunner.xctrunner']],
    unusable: ['--help', 'a b', 'a;b', '.a'],
  },
  SVC_AUDIT_RETENTION_DAYS: {
    pick: (config) => config.auditRetentionDays,
    preset: 365,
    usable: [
      ['90', 90],
      ['1', 1],
      ['99999999', 36_500],
    ],
    unusable: ['0', '-1', 'forever', '1.5'],
  },
  SVC_ADB_REMOTE: {
    pick: (config) => config.adbRemote,
    preset: 'holders',
    usable: [
      ['off', 'off'],
      ['holders', 'holders'],
    ],
    unusable: ['on', 'all', ' '],
  },
  SVC_CLEAN: {
    pick: (config) => config.clean,
    preset: 'off',
    usable: [
      ['apps', 'apps'],
      [' Data ', 'data'],
    ],
    unusable: ['on', 'all'],
  },
  SVC_PREVIEW: {
    pick: (config) => config.preview,
    preset: 'all',
    usable: [
      ['all', 'all'],
      [' Own ', 'own'],
    ],
    unusable: ['none', 'true', ' '],
  },
  SVC_RECORDING: {
    pick: (config) => config.recording.mode,
    preset: 'off',
    usable: [
      ['off', 'off'],
      ['failures', 'failures'],
      [' All ', 'all'],
      ['disabled', 'disabled'],
    ],
    unusable: ['on', 'true', ' '],
  },
  SVC_RECORDING_MAX_BYTES: {
    pick: (config) => config.recording.maxBytes,
    preset: 268_435_456,
    usable: [['1', 1]],
    unusable: ['0', '-1', '256MB'],
  },
  SVC_RECORDINGS_MAX_BYTES: {
    pick: (config) => config.recording.allBytes,
    preset: 21_474_836_480,
    usable: [['1', 1]],
    unusable: ['0', '-1', '20GB'],
  },
  SVC_RECORDING_RETENTION_DAYS: {
    pick: (config) => config.recording.retentionDays,
    preset: 14,
    usable: [
      ['1', 1],
      ['99999999', 36_500],
    ],
    unusable: ['0', '-1', 'forever'],
  },
  SVC_BACKUP_RECORDINGS: {
    pick: (config) => config.backup.recordings,
    preset: false,
    usable: [
      ['true', true],
      ['false', false],
    ],
    unusable: ['1', 'yes', 'TRUE'],
  },
  SVC_AI_PROVIDER: {
    pick: (config) => config.ai.provider,
    preset: null,
    usable: [
      ['openai', 'openai'],
      ['ollama', 'ollama'],
      [' OpenAI-compatible ', 'openai-compatible'],
    ],
    unusable: ['hunter2', ' '],
  },
  SVC_AI_MODEL: {
    pick: (config) => config.ai.model,
    preset: null,
    usable: [
      [' gpt-4o ', 'gpt-4o'],
      ['hf.co/org/model:Q4_K_M', 'hf.co/org/model:Q4_K_M'],
    ],
    unusable: [' ', 'hunter2\nx', 'x'.repeat(201)],
  },
  SVC_AI_BASE_URL: {
    pick: (config) => config.ai.baseUrl,
    preset: null,
    usable: [
      ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1'],
      ['HTTPS://Models.Test:443', 'https://models.test'],
      ['http://[::1]:1234/a/b//', 'http://[::1]:1234/a/b'],
    ],
    unusable: [
      'models.test',
      'ftp://models.test',
      'file:///etc/passwd',
      'https://hunter2@models.test',
      'https://:hunter2@models.test',
      'https://models.test/v1?key=hunter2',
      'https://models.test/#x',
      'https://models.test\\@hunter2',
      'https://models.test/a\nb',
      'https://mod els.test',
      'https:models.test',
      'https://models.test:99999',
      `https://models.test/${'x'.repeat(2048)}`,
      ' ',
    ],
  },
};

describe('the address of usbmuxd', () => {
  it.each<[Record<string, string>, object]>([
    [{}, { path: '/var/run/usbmuxd' }],
    [{ OS: 'Windows_NT' }, { host: '127.0.0.1', port: 27_015 }],
    [{ USBMUXD_SOCKET_ADDRESS: 'UNIX:/tmp/mux' }, { path: '/tmp/mux' }],
    [{ USBMUXD_SOCKET_ADDRESS: '127.0.0.1:4000' }, { host: '127.0.0.1', port: 4000 }],
    [{ USBMUXD_SOCKET_ADDRESS: '[::1]:4000' }, { host: '::1', port: 4000 }],
    [{ USBMUXD_SOCKET_ADDRESS: 'nowhere' }, { path: '/var/run/usbmuxd' }],
  ])(
    'the environment %o gives the address of usbmuxd that other programs use (contract 5)',
    (env, address) => {
      expect(read(env).config.ios.address).toEqual(address);
    },
  );

  it('the environment of go-ios has no variable of svc (contract 5)', () => {
    const { env } = read({ PATH: '/bin', HOME: '/home/lab', SVC_SMTP_URL: 'smtp://u:hunter2@m' }).config.ios;
    expect(env).toEqual({ PATH: '/bin', HOME: '/home/lab' });
  });
});

describe('the adb server that an Admin can switch on', () => {
  it.each<[Record<string, string>, { host: string; port: number } | null]>([
    [{}, { host: '127.0.0.1', port: 5037 }],
    [{ SVC_ADB: 'true', ANDROID_ADB_SERVER_PORT: '5038' }, null],
    [{ SVC_ADB: 'false' }, null],
    [{ ANDROID_ADB_SERVER_PORT: '5038' }, { host: '127.0.0.1', port: 5038 }],
    [{ ANDROID_ADB_SERVER_PORT: 'hunter2' }, { host: '127.0.0.1', port: 5037 }],
    [{ ANDROID_ADB_SERVER_ADDRESS: 'adb.lab' }, { host: 'adb.lab', port: 5037 }],
    [
      { ADB_SERVER_SOCKET: 'tcp:5039', ANDROID_ADB_SERVER_PORT: '5038' },
      { host: '127.0.0.1', port: 5039 },
    ],
    [{ ADB_SERVER_SOCKET: 'tcp:[::1]:5039' }, { host: '::1', port: 5039 }],
    [{ ADB_SERVER_SOCKET: 'localabstract:adb' }, { host: '127.0.0.1', port: 5037 }],
    [{ ADB_SERVER_SOCKET: 'tcp:99999' }, { host: '127.0.0.1', port: 5037 }],
  ])('the environment %o gives the adb server that adb itself uses (contract 5)', (env, address) => {
    const { config, warnings } = read(env);
    expect(config.offeredAdb).toEqual(address);
    expect(warnings).toEqual([]);
  });
});

describe.each(Object.entries(TABLE))(
  '%s (contract 5)',
  (name, { pick, preset, usable, unusable = [], stops }) => {
    it('a setting has its default when unset or empty (contract 5)', () => {
      for (const env of [{}, { [name]: '' }, { [name]: undefined }]) {
        const { config, warnings } = read(env);
        expect(pick(config)).toEqual(preset);
        expect(warnings).toEqual([]);
      }
    });

    test.each(usable)('a setting takes %j as %j', (given, expected) => {
      const { config, warnings } = read({ [name]: given });
      expect(pick(config)).toEqual(expected);
      expect(warnings).toEqual([]);
    });

    it('a setting is also a plugin option, and the variable wins (contract 5)', () => {
      const [given, expected] = usable[0] as (typeof usable)[number];
      const [other, otherwise] = usable[1] ?? (usable[0] as (typeof usable)[number]);
      const option = optionName(name);
      expect(pick(read({}, { options: { [option]: given } }).config)).toEqual(expected);
      if (name === 'SVC_AUTH_DISABLED') return;
      const both = read({ [name]: other }, { options: { [option]: given } });
      expect(pick(both.config)).toEqual(otherwise);
    });

    it('a setting never uses, and never repeats, a value that it cannot use (contract 5)', () => {
      for (const given of unusable) {
        if (stops) {
          expect(() => read({ [name]: given }), given).toThrow(ConfigError);
          expect(() => read({ [name]: given })).toThrow(new RegExp(`^${name} `));
          expect(() => read({ [name]: given })).not.toThrow(/hunter2/);
          continue;
        }
        const { config, warnings } = read({ [name]: given });
        expect(pick(config), given).toEqual(preset);
        expect(warnings, given).toHaveLength(1);
        expect(warnings[0]).toMatch(new RegExp(`^${name} (.*; using the default|.*; it is OFF)$`));
        expect(warnings[0]).not.toContain('hunter2');
      }
      expect(unusable.length > 0 || typeof preset === 'boolean').toBe(true);
    });
  },
);
