import { Refusal, Unavailable } from '@svc/auth-core';
import { AppNotAvailable, NoMatchingDevice, SessionLimitReached, SessionNotRecorded } from '@svc/device-lab';
import { invalidArgument, notCreated } from './responses.ts';

/**
 * Converts an error of the lab to the WebDriver error that is sent when no session starts. Returns any other error
 * unchanged.
 */
export function asWebDriverError(error: unknown): unknown {
  if (error instanceof Refusal) return invalidArgument(error.reason);
  if (error instanceof AppNotAvailable) return invalidArgument(error.message);
  if (error instanceof NoMatchingDevice || error instanceof SessionLimitReached)
    return notCreated(error.message);
  if (error instanceof Unavailable) return notCreated('the lab cannot start sessions now, try again', 503);
  if (error instanceof SessionNotRecorded) return notCreated(`${error.message}, try again`, 503);
  return error;
}
