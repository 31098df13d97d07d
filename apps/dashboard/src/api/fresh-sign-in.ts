/** Asks the user to prove who they are. Resolves to false if the user closes the dialog without a proof. */
type AskForProof = () => Promise<boolean>;

let ask: AskForProof | undefined;
let asking: Promise<boolean> | undefined;

/**
 * Sets how a page asks the user for a proof. `mountPage` sets it for every page, so that a page needs no code of its own
 * for calls to routes that require a fresh sign-in (contract 10).
 */
export function askForProofWith(askForProof: AskForProof): void {
  ask = askForProof;
}

/**
 * Asks the user to prove who they are, so that a call which was refused with `fresh_sign_in_required` can be repeated.
 * Calls that are refused at the same time share one dialog.
 *
 * @returns whether the sign-in is fresh now
 */
export async function makeFresh(): Promise<boolean> {
  if (ask === undefined) return false;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
