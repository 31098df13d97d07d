/**
 * Module for the WebAuthn ceremonies (registration and sign-in) in the browser. Pages import it when the user
 * first uses a passkey, so that pages load faster.
 */

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

type Response = Readonly<Record<string, unknown>>;
type SignInOptions = PublicKeyCredentialRequestOptionsJSON;

const words = texts.passkeys;

/**
 * Asks the user for a passkey of this lab. Throws a sentence for the user if the browser cannot use one.
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

/** Creates a passkey for the signed-in user. Throws a sentence for the user if the browser cannot create one. */
export async function makePasskey(): Promise<Response> {
  const options = (await call('createPasskeyOptions')) as unknown as PublicKeyCredentialCreationOptionsJSON;
  checkPlace(options.rp.id);
  return (await explained(() => startRegistration({ optionsJSON: options }))) as unknown as Response;
}

export function canAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill();
}

/** Stops offering passkeys in the e-mail field. */
export function stopAutofill(): void {
  WebAuthnAbortService.cancelCeremony();
}

/**
 * Throws a sentence for the user if the lab's passkeys do not work on this page, because they belong to another host
 * name.
 */
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
