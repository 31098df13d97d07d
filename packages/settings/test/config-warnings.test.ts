import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../src/environment/config-error.ts';
import { readLabSettings } from '../src/environment/lab-settings.ts';
import { exposureWarning, identityLine, posture } from '../src/environment/posture.ts';
import { read } from './read.ts';

describe('a value that cannot be used', () => {
  it.each([
    ['SVC_MAX_SESSIONS', 'many', 'is not a whole number'],
    ['SVC_MAX_SESSIONS', '1.5', 'is not a whole number (value: 1.5)'],
    ['SVC_MIN_BATTERY', '101', 'is not a whole number of 0 to 100 (value: 101)'],
    [
      'SVC_PUBLIC_URL',
      'ftp://lab.test',
      'must be scheme, host and port, optionally followed by /svc/ (value: ftp://lab.test)',
    ],
  ])('%s=%s is shown if it cannot be a secret', (name, value, problem) => {
    expect(read({ [name]: value }).warnings).toEqual([`${name} ${problem}; using the default`]);
  });

  it('an unusable SVC_PUBLIC_URL is not reported as a missing one', () => {
    const lineOf = (env: Record<string, string>) => identityLine(read(env).config);
    expect(lineOf({ SVC_PUBLIC_URL: 'lab.test' })).toMatch(/^SVC_PUBLIC_URL cannot be used: /);
    expect(lineOf({})).toMatch(/^SVC_PUBLIC_URL is not set: /);
    expect(lineOf({ SVC_PUBLIC_URL: 'http://lab.test' })).toMatch(/^SVC_PUBLIC_URL is not https: /);
  });
});

describe('a variable nobody reads (contract 5)', () => {
  test.each([
    ['SVC_REQUIRE_COMAND_AUTH', 'SVC_REQUIRE_COMMAND_AUTH'],
    ['SVC_TRUSTED_PROXY', 'SVC_TRUSTED_PROXIES'],
    ['SVC_DATABASE_URI', 'SVC_DATABASE_URL'],
    ['SVC_NODE_TOKN', 'SVC_NODE_TOKEN'],
    ['SVC_LAB_DEVICE', 'SVC_LAB_DEVICES'],
    ['SVC_SMTP_URL_FIL', 'SVC_SMTP_URL_FILE'],
    ['SVC_log_level', 'SVC_LOG_LEVEL'],
  ])('%s gets one warning, with the nearest name and without its value', (name, near) => {
    const { warnings } = read({ [name]: 'hunter2' });
    expect(warnings).toEqual([expect.stringMatching(`^${name} is not a setting.*did you mean ${near}\\?$`)]);
    expect(warnings.join()).not.toContain('hunter2');
  });

  it('a variable nobody reads is left alone when it is empty or not ours, or belongs to the lab, a node or a client (contract 5)', () => {
    const env = {
      SVC_UNHEARD_OF: '',
      OTHER_THING: 'x',
      PATH: '/bin',
      SVC_LAB_DEVICES: '2',
      SVC_LAB_DEVICE_PREFIX: 'shelf',
      SVC_LAB_SESSION_DISCOVERY: 'true',
      SVC_LAB_LOG_LEVEL: 'warn',
      SVC_BASE_PATH: '/wd/hub',
      SVC_NODE_URL: 'http://n.test',
      SVC_URL: 'http://lab.test',
      SVC_ACCESS_KEY: 'svc_key',
      SVC_TOKEN_FILE: '/run/token',
    };
    expect(read(env).warnings).toEqual([]);
  });

  it('every variable the lab reads is one the service knows', () => {
    const asked = new Set<string>();
    const env = new Proxy({}, { get: (_, name) => void asked.add(String(name)) });
    readLabSettings({ env, homeDir: '/', readFile: () => '', resolvePath: (...parts) => parts.join('/') });
    const set = Object.fromEntries(
      [...asked].filter((name) => name.startsWith('SVC_')).map((name) => [name, '1']),
    );
    expect(Object.keys(set).length).toBeGreaterThan(4);
    expect(read(set).warnings).toEqual([]);
  });
});

describe('SVC_REQUIRE_* (contract 5)', () => {
  test.each(['SVC_REQUIRE_SESSION_TOKEN', 'SVC_REQUIRE_COMMAND_AUTH'])(
    '%s that is neither on nor off is off and says so',
    (name) => {
      expect(read({ [name]: 'ture' }).warnings).toEqual([
        `${name} is neither on (true, 1, yes, on) nor off (false, 0, no, off); it is OFF`,
      ]);
    },
  );
});

describe('what is not enforced although a variable was set for it', () => {
  test.each([
    ['SVC_REQUIRE_COMMND_AUTH', 'true'],
    ['SVC_REQUIRE_COMMAND_AUTH', 'ture'],
    ['SVC_REQUIRE_SESSION_TOKEN', '2'],
    ['SVC_REQUIRE_TLS', 'true'],
    ['SVC_REQUIRED_SESSION_TOKEN', 'true'],
    ['SVC_COMMAND_AUTH', 'true'],
    ['SVC_TRUSTED_PROXY', '10.0.0.1'],
    ['SVC_HUB_ULR', 'http://hub.test'],
  ])(
    'a variable that enforces nothing is one of the warnings for %s=%s (contract 5, spec 5.7)',
    (name, value) => {
      const { warnings, unenforced } = read({ [name]: value });
      expect(warnings).toHaveLength(1);
      expect(unenforced).toEqual(warnings);
    },
  );

  test.each([
    ['SVC_LOG_LEVL', 'info'],
    ['SVC_REMOTE_URL', 'http://other.test'],
    ['SVC_PROXIES', '10.0.0.1'],
    ['SVC_AUTH_DISABLED', 'maybe'],
    ['SVC_BCRYPT_COST', '99'],
  ])('a variable that enforces something is not the warning for %s=%s (contract 5)', (name, value) => {
    const { warnings, unenforced } = read({ [name]: value });
    expect(warnings).toHaveLength(1);
    expect(unenforced).toEqual([]);
  });

  it('a warning is not given where the value means on or off (spec 5.7)', () => {
    for (const value of ['true', 'YES', ' on ', '0', 'no', 'Off', ''])
      expect(read({ SVC_REQUIRE_COMMAND_AUTH: value }).unenforced).toEqual([]);
  });

  it('a variable that enforces nothing is noticed in a plugin option too (contract 5)', () => {
    const { unenforced } = read({}, { options: { requireCommandAuth: 'ture' } });
    expect(unenforced).toEqual([expect.stringContaining('SVC_REQUIRE_COMMAND_AUTH is neither on')]);
  });
});

describe('the line that tells what is enforced (contract 5)', () => {
  const line = (env: Record<string, string>) => posture(read(env).config);

  it('the line that tells what is enforced names sign-in, session credentials, command check and trusted proxies (contract 5)', () => {
    expect(line({})).toBe(
      'Enforced: sign-in ON; session credentials OFF; command check OFF; trusted proxies NONE',
    );
    expect(
      line({
        SVC_REQUIRE_SESSION_TOKEN: 'yes',
        SVC_REQUIRE_COMMAND_AUTH: '1',
        SVC_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      }),
    ).toBe('Enforced: sign-in ON; session credentials ON; command check ON; trusted proxies 10.0.0.0/8, ::1');
    expect(line({ SVC_COMMAND_AUTH_REPORT_ONLY: 'true', SVC_REQUIRE_COMMAND_AUTH: 'true' })).toContain(
      'command check REPORT-ONLY',
    );
  });

  it('the line that tells what is enforced says of no check that it is on when sign-in is off (contract 5)', () => {
    const off = {
      SVC_AUTH_DISABLED: 'true',
      SVC_REQUIRE_SESSION_TOKEN: 'true',
      SVC_REQUIRE_COMMAND_AUTH: 'true',
    };
    expect(line(off)).toMatch(/sign-in OFF; session credentials OFF; command check OFF/);
  });
});

describe('a server other machines reach (contract 5, specification 5.9.3)', () => {
  const warning = (host: string, env = {}) => exposureWarning(read(env).config, host);

  test.each(['0.0.0.0', '::', '192.0.2.1', 'lab.test', '2001:db8::1'])(
    '%s without trusted proxies warns',
    (host) => {
      expect(warning(host)).toContain(`(${host})`);
      expect(warning(host, { SVC_TRUSTED_PROXIES: '127.0.0.1' })).toBeUndefined();
    },
  );

  test.each(['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'])(
    '%s does not',
    (host) => {
      expect(warning(host)).toBeUndefined();
    },
  );
});

describe('settings of the lab (contract 9)', () => {
  const lab = (env: Record<string, string>) =>
    readLabSettings({ env, homeDir: '/', readFile: () => '', resolvePath: (...parts) => parts.join('/') });

  it('settings of the lab have the defaults of the contract (contract 9)', () => {
    expect(lab({})).toEqual({
      settings: {
        port: 4723,
        host: '127.0.0.1',
        basePath: '',
        devices: 4,
        devicePrefix: 'virtual',
        sessionDiscovery: false,
        logLevel: 'info',
      },
      warnings: [],
    });
  });

  it('settings of the lab are read by their rules, an unusable one with a warning (contract 9)', () => {
    const { settings, warnings } = lab({
      PORT: '0',
      SVC_BASE_PATH: 'wd/hub/',
      SVC_LAB_DEVICES: '1001',
      SVC_LAB_SESSION_DISCOVERY: 'true',
      SVC_LAB_LOG_LEVEL: 'loud',
    });
    expect(settings).toMatchObject({
      port: 0,
      basePath: '/wd/hub',
      devices: 4,
      sessionDiscovery: true,
      logLevel: 'info',
    });
    expect(warnings).toHaveLength(2);
  });

  test.each(['many', '-1', '65536', '4723.5'])('PORT=%s stops the start', (port) => {
    expect(() => lab({ PORT: port })).toThrow(ConfigError);
  });
});
