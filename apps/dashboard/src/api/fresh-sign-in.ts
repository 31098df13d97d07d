/**
 * Function that opens the dialog in which the user proves who they are. It resolves to false if the user closes the
 * dialog without a proof.
 */
type AskForProof = () => Promise<boolean>;

let ask: AskForProof | undefined;
let asking: Promise<boolean> | undefined;

/**
 * Sets the function with which the page asks for a proof. `mountPage` calls this for every page, so that pages need no
 * code of their own for routes that require a fresh sign-in (contract 10).
 */
export function askForProofWith(askForProof: AskForProof): void {
  ask = askForProof;
}

/**
 * Asks the user to prove who they are, so that the caller can repeat a request that was refused with
 * `fresh_sign_in_required`. Requests that are refused at the same time share one dialog.
 *
 * @returns whether the sign-in is fresh afterwards
 */
export async function makeFresh(): Promise<boolean> {
  if (ask === undefined) return false;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
