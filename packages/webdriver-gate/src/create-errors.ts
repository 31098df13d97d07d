import { Refusal, Unavailable } from '@svc/auth-core';
import {
  AgentLimitReached,
  AppNotAvailable,
  CapabilityRefused,
  ClientLeft,
  NoDriverPort,
  NoMatchingDevice,
  SessionLimitReached,
  SessionNotRecorded,
  ShareReached,
  StartCancelled,
  UnusableCondition,
  WrongPhone,
} from '@svc/device-lab';
import { invalidArgument, NoPhoneFits, notCreated, WrongPhoneTaken } from './responses.ts';

/** Errors of the lab that explain to the client why no session starts. */
const REFUSALS = [
  NoMatchingDevice,
  SessionLimitReached,
  AgentLimitReached,
  ShareReached,
  NoDriverPort,
  StartCancelled,
];

/**
 * Converts an error of the lab to the WebDriver error that is sent when no session starts. Returns any other error
 * unchanged.
 */
export function asWebDriverError(error: unknown): unknown {
  if (error instanceof Refusal) return invalidArgument(error.reason);
  const isCapability = error instanceof CapabilityRefused || error instanceof UnusableCondition;
  if (error instanceof AppNotAvailable || isCapability) return invalidArgument(error.message);
  if (error instanceof NoMatchingDevice && error.detail !== '') return new NoPhoneFits(error);
  if (REFUSALS.some((kind) => error instanceof kind)) return notCreated((error as Error).message);
  if (error instanceof WrongPhone) return new WrongPhoneTaken(error);
  if (error instanceof ClientLeft) return notCreated('the client disconnected');
  if (error instanceof Unavailable) return notCreated('the lab cannot start sessions now, try again', 503);
  if (error instanceof SessionNotRecorded) return notCreated(`${error.message}, try again`, 503);
  return error;
}
