import { Refusal, Unavailable } from '@svc/auth-core';
import {
  ClientLeft,
  CreateRefused,
  NoMatchingDevice,
  SessionNotRecorded,
  ShareReached,
  StartCancelled,
  UnusableCondition,
  WrongPhone,
} from '@svc/device-lab';
import { invalidArgument, NoPhoneFits, notCreated, WrongPhoneTaken } from './responses.ts';

/** Errors of the lab that explain to the client why no session starts. */
const REFUSALS = [CreateRefused, NoMatchingDevice, ShareReached, StartCancelled];

/**
 * Converts an error of the lab to the WebDriver error that is sent when no session starts. Returns any other error
 * unchanged.
 */
export function asWebDriverError(error: unknown): unknown {
  if (error instanceof Refusal) return invalidArgument(error.reason);
  const isOfRequest =
    error instanceof UnusableCondition || (error instanceof CreateRefused && error.isOfRequest);
  if (isOfRequest) return invalidArgument(error.message);
  if (error instanceof NoMatchingDevice && error.detail !== '') return new NoPhoneFits(error);
  if (REFUSALS.some((kind) => error instanceof kind)) return notCreated((error as Error).message);
  if (error instanceof WrongPhone) return new WrongPhoneTaken(error);
  if (error instanceof ClientLeft) return notCreated('the client disconnected');
  if (error instanceof Unavailable) return notCreated('the lab cannot start sessions now, try again', 503);
  if (error instanceof SessionNotRecorded) return notCreated(`${error.message}, try again`, 503);
  return error;
}
