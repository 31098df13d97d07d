import { describe, expect, it, test } from 'vitest';
import { ConfigError } from '../src/environment/config-error.ts';
import type { readConfig } from '../src/environment/read-config.ts';
import { optionName } from '../src/environment/reader.ts';
import { read } from './read.ts';

const NODE = {
  SVC_HUB_URL: 'https://hub.test',
  SVC_NODE_ACCESS_KEY: 'svc_key',
  SVC_NODE_TOKEN: 'svct_secret',
  SVC_NODE_URL: 'http://node.test:4723',
};

describe('secrets', () => {
  const SECRETS = {
    SVC_BOOTSTRAP_ADMIN_PASSWORD: {
      value: 'correct horse ',
      other: 'battery staple',
      pick: passwordOf,
      env: {},
    },
    SVC_SMTP_URL: { value: 'smtps://u:p@mail.test', other: 'smtp://other.test', pick: smtpOf, env: {} },
    SVC_AI_API_KEY: { value: 'sk-hunter2', other: 'sk-other', pick: aiKeyOf, env: {} },
    SVC_NODE_TOKEN: { value: 'svct_secret', other: 'svct_other', pick: nodeTokenOf, env: NODE },
  };
  type Config = ReturnType<typeof readConfig>['config'];
  function passwordOf(config: Config) {
    return config.bootstrap.password;
  }
  function smtpOf(config: Config) {
    return config.mail.smtpUrl;
  }
  function aiKeyOf(config: Config) {
    return config.ai.apiKey;
  }
  function nodeTokenOf(config: Config) {
    return config.node?.token;
  }

  describe.each(Object.entries(SECRETS))('%s (contract 5)', (name, { value, other, pick, env }) => {
    const without = { ...env, [name]: undefined };

    it('a secret comes from the variable or from the file that its _FILE names, the variable first (contract 5)', () => {
      const files: Record<string, string> = { '/run/secrets/one': other };
      const readFile = (path: string) => files[path] as string;
      expect(pick(read({ ...without, [name]: value }).config)).toBe(value);
      const fromFile = { ...without, [`${name}_FILE`]: '/run/secrets/one' };
      expect(pick(read(fromFile, { readFile }).config)).toBe(other);
      expect(pick(read({ ...fromFile, [name]: value }, { readFile }).config)).toBe(value);
    });

    it('a secret loses the one line break that an editor leaves at the end of its file (contract 5)', () => {
      for (const end of ['\n', '\r\n']) {
        const readFile = () => other + end;
        expect(pick(read({ ...without, [`${name}_FILE`]: '/f' }, { readFile }).config)).toBe(other);
      }
    });

    it('a secret is never read from a plugin option', () => {
      for (const option of [optionName(name), optionName(`${name}_FILE`), name, `${name}_FILE`]) {
        const sources = { options: { [option]: value }, readFile: () => value };
        if (env === NODE) expect(() => read(without, sources)).toThrow(ConfigError);
        else expect(pick(read(without, sources).config)).toBeNull();
      }
    });
  });

  it('a file that cannot be read stops the start, without its path or its secret (contract 5)', () => {
    const env = { SVC_BOOTSTRAP_ADMIN_PASSWORD_FILE: '/run/hunter2' };
    expect(() => read(env)).toThrow(
      new ConfigError('SVC_BOOTSTRAP_ADMIN_PASSWORD_FILE names a file that cannot be read'),
    );
  });

  test.each([
    ['longer than 72 bytes', 'hunter2'.repeat(11)],
    ['with a NUL', 'hunter2\0hunter2'],
    ['blank in its file', ''],
  ])(
    'a first password that is %s stops the start: the built-in one would be unsafe (contract 4, 5)',
    (_, password) => {
      const readFile = () => password;
      expect(() => read({ SVC_BOOTSTRAP_ADMIN_PASSWORD_FILE: '/f' }, { readFile })).toThrow(ConfigError);
      expect(() => read({ SVC_BOOTSTRAP_ADMIN_PASSWORD_FILE: '/f' }, { readFile })).not.toThrow(
        /hunter2|1234567/,
      );
    },
  );

  test.each(['mail.test', 'http://mail.test', 'smtp://', 'smtp:// mail.test', 'hunter2'])(
    'the mail server %j cannot be used: one warning, no mail (contract 5)',
    (given) => {
      const { config, warnings } = read({ SVC_SMTP_URL: given });
      expect(config.mail.smtpUrl).toBeNull();
      expect(warnings).toEqual(['SVC_SMTP_URL is not an smtp:// or smtps:// address; using the default']);
    },
  );

  test.each(['two words', 'hunter2\r\nx-evil: 1', 'schlüssel', 'x'.repeat(4097)])(
    'an AI key no header may have is not used: %j (contract 5)',
    (given) => {
      const { config, warnings } = read({ SVC_AI_API_KEY: given });
      expect(config.ai.apiKey).toBeNull();
      expect(warnings).toEqual([
        expect.stringMatching(/^SVC_AI_API_KEY has a character.*using the default$/),
      ]);
      expect(warnings.join()).not.toContain('hunter2');
    },
  );

  it('an AI key without an address says that it is sent nowhere (contract 5)', () => {
    const warning = 'SVC_AI_API_KEY is sent nowhere: neither SVC_AI_PROVIDER nor SVC_AI_BASE_URL is set';
    const key = { SVC_AI_API_KEY: 'hunter2' };
    expect(read({ ...key, SVC_AI_MODEL: 'm' }).warnings).toEqual([warning]);
    expect(read({ ...key, SVC_AI_PROVIDER: 'openai' }).warnings).toEqual([]);
    expect(read({ ...key, SVC_AI_BASE_URL: 'https://models.test' }).warnings).toEqual([]);
  });

  it('a first password without an e-mail says which account it is for (spec 5.9.1)', () => {
    expect(read({ SVC_BOOTSTRAP_ADMIN_PASSWORD: 'correct horse' }).warnings).toEqual([
      'SVC_BOOTSTRAP_ADMIN_EMAIL is not set; the first account is admin@svc.local',
    ]);
    const both = {
      SVC_BOOTSTRAP_ADMIN_PASSWORD: 'correct horse',
      SVC_BOOTSTRAP_ADMIN_EMAIL: 'boss@lab.test',
    };
    expect(read(both).warnings).toEqual([]);
  });
});

describe('plugin options', () => {
  it('plugin options are the variables in camel case (contract 5)', () => {
    expect(optionName('SVC_MAX_SESSIONS')).toBe('maxSessions');
    expect(optionName('SVC_AUTH_DISABLED')).toBe('authDisabled');
    expect(optionName('SVC_MCP_TOKEN_TTL_SEC')).toBe('mcpTokenTtlSec');
    expect(optionName('SVC_LOGIN_RATE_LIMIT_WINDOW_MS')).toBe('loginRateLimitWindowMs');
  });

  it('sign-in is off when the variable or the option says so (spec 5.12)', () => {
    const off = (env: string | undefined, option: unknown) =>
      read({ SVC_AUTH_DISABLED: env }, { options: { authDisabled: option } }).config.authDisabled;
    expect(off(undefined, true)).toBe(true);
    expect(off('false', true)).toBe(true);
    expect(off('true', false)).toBe(true);
    expect(off('true', undefined)).toBe(true);
    expect(off('false', false)).toBe(false);
    expect(off('1', 'yes')).toBe(false);
  });

  it('plugin options may be numbers and switches as a config file writes them; anything else is unset (contract 5)', () => {
    const { config, warnings } = read(
      {},
      {
        options: {
          maxSessions: 4,
          requireCommandAuth: true,
          autoMigrate: false,
          bcryptCost: { cost: 10 },
          logLevel: ['debug'],
          dataDir: null,
        },
      },
    );
    expect(config).toMatchObject({
      maxSessions: 4,
      requireCommandAuth: true,
      autoMigrate: false,
      bcryptCost: 12,
      logLevel: 'info',
      dataDir: '/home/lab/.cache/svc',
    });
    expect(warnings).toEqual([]);
  });

  it('an unusable variable does not let the option in (contract 5)', () => {
    const { config, warnings } = read({ SVC_BCRYPT_COST: '99' }, { options: { bcryptCost: 10 } });
    expect(config.bcryptCost).toBe(12);
    expect(warnings).toHaveLength(1);
  });
});

describe('node mode', () => {
  it('node mode needs the hub, its own address and an admin credential (contract 8.1)', () => {
    expect(read().config.node).toBeNull();
    expect(read(NODE).config.node).toEqual({
      hubUrl: 'https://hub.test',
      accessKey: 'svc_key',
      token: 'svct_secret',
      url: 'http://node.test:4723',
    });
    for (const missing of ['SVC_NODE_ACCESS_KEY', 'SVC_NODE_TOKEN', 'SVC_NODE_URL']) {
      expect(() => read({ ...NODE, [missing]: undefined }), missing).toThrow(ConfigError);
    }
    expect(read({ ...NODE, SVC_HUB_URL: undefined }).config.node).toBeNull();
  });

  test.each([
    'hub.test',
    'https://hub.test/svc',
    'https://u@hub.test',
    'https://:hunter2@hub.test',
    'https://hub.test?x',
  ])('a hub at %j stops the start (contract 8.1)', (hub) => {
    expect(() => read({ ...NODE, SVC_HUB_URL: hub })).toThrow(/^SVC_HUB_URL is not an http/);
    expect(() => read({ ...NODE, SVC_NODE_URL: hub })).toThrow(/^SVC_NODE_URL is not an http/);
  });
});
