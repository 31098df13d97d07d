import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { svc } from '../accounts/support/svc-command.ts';
import { freshDataDir, runNode } from '../support/lab.ts';

const { resolve } = createRequire(import.meta.url);
/** No folder can be created below either path; Linux responds with ENOENT to every new name below `/proc`. */
const REFUSING = process.platform === 'linux' ? '/proc/svc' : '/dev/null/svc';

describe('a folder that cannot be created', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = freshDataDir();
    await svc(dataDir, ['upgrade', '--yes']);
  });

  it('a folder that cannot be created ends `svc backup --to` with the folder, the reason and the way out (contract 5, SVC_DATA_DIR)', async () => {
    const { code, stdout, output } = await svc(dataDir, ['backup', '--to', REFUSING]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(output.trim()).toMatch(
      new RegExp(`^svc: The folder ${REFUSING} cannot be created: .+\\. Name another folder$`),
    );
  });

  test.each([
    ['upgrade', '--yes'],
    ['restore', 'latest', '--yes'],
  ])('a folder that cannot be created ends `svc %s` below it (contract 5, SVC_DATA_DIR)', async (...args) => {
    await svc(dataDir, ['backup']);
    const place = [
      '--data-dir',
      `${REFUSING}/data`,
      ...(args[0] === 'restore' ? ['--to', `${dataDir}/backups`] : []),
    ];
    const { code, output } = await svc(dataDir, [...args, ...place]);
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`svc: The folder ${REFUSING} cannot be created: `));
  });

  test.each(['@svc/api/main.js', '@svc/lab/main.js'])(
    'a folder that cannot be created ends the start of %s with a data folder below it (contract 5, SVC_DATA_DIR)',
    async (program) => {
      const started = runNode(resolve(program), { env: { PORT: '0', SVC_DATA_DIR: `${REFUSING}/data` } });
      expect(await started.exited).toMatchObject({ code: 1 });
      expect(started.output()).toContain(`The folder ${REFUSING} cannot be created: `);
      expect(started.output()).not.toContain('svc ready on');
    },
  );

  it('a folder that cannot be created ends the start with a database below it (contract 5, SVC_DATABASE_URL)', async () => {
    const env = { PORT: '0', SVC_DATA_DIR: freshDataDir(), SVC_DATABASE_URL: `file:${REFUSING}/svc.db` };
    const started = runNode(resolve('@svc/api/main.js'), { env });
    expect(await started.exited).toMatchObject({ code: 1 });
    expect(started.output()).toContain(`The folder ${REFUSING} cannot be created: `);
  });
});
