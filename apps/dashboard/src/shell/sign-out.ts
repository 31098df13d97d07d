import { pageAddress } from '../api/addresses.ts';
import { call } from '../api/client.ts';
import { errorText } from '../api/error-text.ts';
import { forgetVisit } from '../api/visited.ts';
import { closeLiveLine, openLiveLine } from '../live/live-line.ts';
import { toast } from '../ui/index.ts';

export async function signOut(): Promise<void> {
  closeLiveLine();
  try {
    await call('logout');
    forgetVisit();
    location.assign(pageAddress('sign-in'));
  } catch (error) {
    toast(errorText(error));
    openLiveLine();
  }
}
