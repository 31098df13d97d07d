import { Refusal, Unavailable } from '@svc/auth-core';
import { AppNotAvailable, NoMatchingDevice, SessionLimitReached, SessionNotRecorded } from '@svc/device-lab';
import { invalidArgument, notCreated } from './responses.ts';

/** @returns the error to send when the lab starts no session, or `error` unchanged if it is no error of the lab */
export function asWebDriverError(error: unknown): unknown {
  if (error instanceof Refusal) return invalidArgument(error.reason);
  if (error instanceof AppNotAvailable) return invalidArgument(error.message);
  if (error instanceof NoMatchingDevice || error instanceof SessionLimitReached)
    return notCreated(error.message);
  if (error instanceof Unavailable) return notCreated('the lab cannot start sessions now, try again', 503);
  if (error instanceof SessionNotRecorded) return notCreated(`${error.message}, try again`, 503);
  return error;
}
