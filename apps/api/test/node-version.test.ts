import { expect, test } from 'vitest';
import { refuseOldNode } from '../src/runtime/node-version.ts';

test.each([
  ['20.19.0', true],
  ['20.20.1', true],
  ['22.12.0', true],
  ['22.21.1', true],
  ['24.0.0', true],
  ['25.1.0', true],
  ['16.20.2', false],
  ['18.20.8', false],
  ['20.18.3', false],
  ['21.7.3', false],
  ['22.11.0', false],
  ['23.11.1', false],
])('Node.js %s is supported: %s (specification 9.2 from 2.14 to 2.15)', (version, isSupported) => {
  const check = () => refuseOldNode(version);
  if (isSupported) expect(check).not.toThrow();
  else expect(check).toThrow(`This is Node.js ${version}; svc needs 20.19`);
});
