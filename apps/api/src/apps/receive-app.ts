import { type Caller, checkAccess, Refusal } from '@svc/auth-core';
import { MANAGE_APPS, routes } from '@svc/contract';
import type { LibraryApp } from '@svc/device-lab';
import type { FastifyRequest } from 'fastify';
import { suspendTimeout } from '../clients/client-limits.ts';
import type { HttpContext } from '../http/http-context.ts';
import { receiveFile } from './receive-file.ts';
import type { Transfers } from './transfers.ts';

/** An upload ends when nothing has come for so long. */
const IDLE_MS = 30_000;

/**
 * Takes an app in from a request whose body was not touched. It may take as long as bytes flow; whoever sends them is
 * asked about again meanwhile, and cut off when they may no longer.
 */
export async function receiveApp(
  { caller, raw }: FastifyRequest,
  transfers: Transfers,
  { services: { apps, config } }: HttpContext,
): Promise<LibraryApp> {
  const transfer = transfers.begin(caller, refusalToUpload);
  const time = suspendTimeout(raw.socket);
  const limits = {
    field: routes.uploadApp.file,
    fileBytes: config.appMaxBytes,
    idleMs: IDLE_MS,
    signal: transfer.signal,
  };
  try {
    return await apps.add(caller, (store) => receiveFile(raw, limits, store));
  } finally {
    time.resume();
    transfer.done();
  }
}

function refusalToUpload(caller: Caller): string | null {
  try {
    checkAccess(caller, MANAGE_APPS);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}
