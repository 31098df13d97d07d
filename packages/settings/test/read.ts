import { readConfig } from '../src/environment/read-config.ts';
import type { Sources, Values } from '../src/environment/reader.ts';

/** Reads settings as a server at `/home/lab` would, with only the given values set. */
export function read(env: Values = {}, more: Partial<Sources> = {}) {
  return readConfig({
    env,
    homeDir: '/home/lab',
    readFile: () => {
      throw new Error('no such file');
    },
    resolvePath: (...parts) => parts.join('/'),
    ...more,
  });
}
