import { signInAddress } from './addresses.ts';
import { forgetVisit } from './visited.ts';

let leaves = false;

/** From now on an ended sign-in opens the sign-in page. Pages for people who are not signed in never ask for it. */
export function leaveWhenSignedOut(): void {
  leaves = true;
}

/** True when the page is being left. */
export function leaveSignedOut(): boolean {
  if (!leaves) return false;
  forgetVisit();
  location.replace(signInAddress());
  return true;
}
