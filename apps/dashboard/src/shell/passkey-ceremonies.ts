import {
  browserSupportsWebAuthnAutofill,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import { call } from '../api/client.ts';
import { texts } from '../texts/en.ts';

/*
 * The ceremonies of WebAuthn in the browser. Pages import this module when the user first asks for a passkey, so that it
 * is no part of their first load.
 */

type Response = Readonly<Record<string, unknown>>;
type SignInOptions = PublicKeyCredentialRequestOptionsJSON;

const { passkeys: words } = texts;

/**
 * Asks the user for a passkey of this lab. Throws a sentence if the browser could not use one.
 * @param autofill whether the browser offers passkeys in the e-mail field and waits, instead of opening a dialog
 * @returns the response for the API
 */
export async function askForPasskey({ autofill = false } = {}): Promise<Response> {
  const options = (await call('createPasskeySignInOptions')) as unknown as SignInOptions;
  checkPlace(options.rpId);
  const response = await explained(() =>
    startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill }),
  );
  return response as unknown as Response;
}

/** Makes a passkey for the caller. Throws a sentence if the browser could not. */
export async function makePasskey(): Promise<Response> {
  const options = (await call('createPasskeyOptions')) as unknown as PublicKeyCredentialCreationOptionsJSON;
  checkPlace(options.rp.id);
  return (await explained(() => startRegistration({ optionsJSON: options }))) as unknown as Response;
}

export function canAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill();
}

/** Ends the request that waits in the e-mail field. */
export function stopAutofill(): void {
  WebAuthnAbortService.cancelCeremony();
}

/** Throws a sentence if passkeys of the lab do not work on this page, because the page has another host. */
function checkPlace(rpId: string | undefined): void {
  const { hostname } = location;
  if (rpId === undefined || hostname === rpId || hostname.endsWith(`.${rpId}`)) return;
  throw words.elsewhere(rpId);
}

async function explained<T>(ceremony: () => Promise<T>): Promise<T> {
  try {
    return await ceremony();
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'InvalidStateError') throw words.alreadyHere;
    if (name === 'NotAllowedError' || name === 'AbortError') throw words.cancelled;
    if (name === 'SecurityError') throw words.notAtThisAddress;
    throw words.failed;
  }
}
