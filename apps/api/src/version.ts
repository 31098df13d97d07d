import { createRequire } from 'node:module';

/** Version of the service, as the capabilities and the account menu show it. */
export const VERSION: string = createRequire(import.meta.url)('../package.json').version;
