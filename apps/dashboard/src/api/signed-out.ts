import { signInAddress } from './addresses.ts';
import { forgetVisit } from './visited.ts';

let leaves = false;

/** From now on, an ended sign-in opens the sign-in page. Pages for signed-out users never call this. */
export function leaveWhenSignedOut(): void {
  leaves = true;
}

/** @returns whether the page is being left */
export function leaveSignedOut(): boolean {
  if (!leaves) return false;
  forgetVisit();
  location.replace(signInAddress());
  return true;
}
