import { afterAll } from 'vitest';
import { ends } from './ends.ts';

/**
 * Ends the resources of each test file. Vitest runs this module before each file, while the files share other modules.
 */
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
});
