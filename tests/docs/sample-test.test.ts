import { expect, it } from 'vitest';
import { webdriverioTest } from '../../apps/dashboard/src/api/webdriverio-test.ts';
import { readPage } from '../support/pages.ts';

it('the page about tokens shows the same sample test as the dashboard (contract 9)', () => {
  const shown = readPage('docs/clients/token.md').block('first-test.mjs');
  const setup = /^(const \{ SVC_URL.*?)\nconst \{ protocol/ms.exec(shown)?.[1] as string;
  const step = /^try \{\n {2}(.*?)\n\} finally/ms.exec(shown)?.[1] as string;
  expect(shown).toBe(webdriverioTest({ setup: [setup], address: 'SVC_URL', steps: [step] }));
});
