import { type Caller, checkAccess, Refusal } from '@svc/auth-core';
import { KEEPS_APPS, routes } from '@svc/contract';
import type { LibraryApp } from '@svc/device-lab';
import type { FastifyRequest } from 'fastify';
import { timeNoLonger } from '../client-limits.ts';
import type { HttpContext } from '../http-context.ts';
import { receiveFile } from './receive-file.ts';

/** An upload ends when nothing has come for so long. */
const IDLE_MS = 30_000;

/**
 * Takes an app in from a request whose body was not touched. It may take as long as bytes flow; whoever sends them is
 * asked about again meanwhile, and cut off when they may no longer.
 */
export async function receiveApp(request: FastifyRequest, { services }: HttpContext): Promise<LibraryApp> {
  const { caller, raw } = request;
  const { apps, config, openConnections } = services;
  const cut = new AbortController();
  const watch = openConnections.add({
    caller,
    refusal: refusalToUpload,
    close: () => cut.abort(new Refusal('unauthenticated', 'no longer allowed while the upload ran')),
  });
  const time = timeNoLonger(raw.socket);
  try {
    const limits = {
      field: routes.uploadApp.file,
      fileBytes: config.appMaxBytes,
      idleMs: IDLE_MS,
      signal: cut.signal,
    };
    return await apps.add(caller, (store) => receiveFile(raw, limits, store));
  } finally {
    time.again();
    watch.forget();
  }
}

function refusalToUpload(caller: Caller): string | null {
  try {
    checkAccess(caller, KEEPS_APPS);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}
