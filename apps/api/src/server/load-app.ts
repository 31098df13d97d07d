import { setImmediate as otherWork } from 'node:timers/promises';

/**
 * Modules of the API, in an order in which each import loads a part of what `app.ts` needs. A package that the start of
 * Appium also uses, such as the contract, is not in this list itself: an import of the whole package would make the
 * bundler put all of it into the code that the start loads.
 */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import('@fastify/ajv-compiler'),
  () => import('@fastify/fast-json-stringify-compiler'),
  () => import('fastify'),
  () => import('../http/route-table.ts'),
  () => import('@fastify/static'),
  () => import('@fastify/rate-limit'),
  () => import('../plugins/errors.ts'),
  () => import('../protocols/index.ts'),
  () => import('../routes/index.ts'),
  () => import('../routes/of-phones.ts'),
];

/**
 * Loads the code that builds the API, in parts between which other requests run. Node.js runs a module and everything
 * that it imports in one piece, and the automation server already serves commands.
 */
export async function loadApp(): Promise<typeof import('./app.ts')> {
  for (const load of PARTS) {
    await load();
    await otherWork();
  }
  return await import('./app.ts');
}
