import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { hideSettings, processSources } from '../src/runtime/process-settings.ts';

it('a process that a driver starts inherits no setting of svc, and a second server still reads them (contract 14.1)', () => {
  process.env.SVC_SMTP_URL = 'smtp://user:secret@mail';
  process.env.SVC_NODE_TOKEN_FILE = '/run/secrets/token';
  try {
    hideSettings(process.env);
    const child = spawnSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' });
    expect(child.stdout).toContain('PATH');
    expect(child.stdout).not.toContain('SVC_');
    expect(processSources().env).toMatchObject({
      SVC_SMTP_URL: 'smtp://user:secret@mail',
      SVC_NODE_TOKEN_FILE: '/run/secrets/token',
    });
  } finally {
    delete process.env.SVC_SMTP_URL;
    delete process.env.SVC_NODE_TOKEN_FILE;
  }
});
