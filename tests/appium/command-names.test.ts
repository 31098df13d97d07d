import { createRequire } from 'node:module';
import { APPIUM_COMMANDS } from '@svc/device-lab';
import { expect, it } from 'vitest';

const fromAppium = createRequire(
  createRequire(createRequire(import.meta.url).resolve('@svc/lab/package.json')).resolve('appium'),
);

it('the session log names commands as the supported Appium does (contract 11)', () => {
  const { METHOD_MAP } = fromAppium('@appium/base-driver') as {
    METHOD_MAP: Record<string, Record<string, { command?: string }>>;
  };
  const names: Record<string, string> = {};
  for (const [path, methods] of Object.entries(METHOD_MAP)) {
    if (!path.startsWith('/session/:sessionId')) continue;
    const route = path.replace('/session/:sessionId', '').replace(/:\w+/g, '*');
    for (const [method, { command }] of Object.entries(methods))
      if (command) names[`${method} ${route}`] = command;
  }
  expect(APPIUM_COMMANDS).toEqual(names);
});
