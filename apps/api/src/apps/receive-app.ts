import { type Caller, checkAccess, Refusal } from '@svc/auth-core';
import { MANAGE_APPS, routes } from '@svc/contract';
import type { LibraryApp } from '@svc/device-lab';
import type { FastifyRequest } from 'fastify';
import { suspendTimeout } from '../clients/client-limits.ts';
import type { Transfers } from '../clients/transfers.ts';
import type { LabContext } from '../http/http-context.ts';
import { receiveFile } from './receive-file.ts';

/** Maximum time without data from the client after which an upload is aborted (ms). */
const IDLE_MS = 30_000;

/**
 * Receives an app from a request whose body has not been read. The upload may take any time while data arrives. The
 * caller is checked again during the upload, which is aborted if they have lost the permission to upload.
 */
export async function receiveApp(
  { caller, raw }: FastifyRequest,
  transfers: Transfers,
  { services: { modules, config } }: LabContext,
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
    return await modules.lab.offers.apps.add(caller, (store) => receiveFile(raw, limits, store));
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
