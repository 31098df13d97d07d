import { Refusal, Unavailable } from '@svc/auth-core';
import { AppNotAvailable, NoMatchingDevice, SessionLimitReached, SessionNotRecorded } from '@svc/device-lab';
import { invalidArgument, notCreated } from './responses.ts';

/** What a client is answered when the lab starts no session; anything else is given back as it is. */
export function asWebDriverError(error: unknown): unknown {
  if (error instanceof Refusal) return invalidArgument(error.reason);
  if (error instanceof AppNotAvailable) return invalidArgument(error.message);
  if (error instanceof NoMatchingDevice || error instanceof SessionLimitReached)
    return notCreated(error.message);
  if (error instanceof Unavailable) return notCreated('the lab cannot start sessions now, try again', 503);
  if (error instanceof SessionNotRecorded) return notCreated(`${error.message}, try again`, 503);
  return error;
}
