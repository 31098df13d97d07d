import type { CareStore, CleaningStore } from '@svc/device-lab';
import { type Finding, failure, ok, warning } from './finding.ts';

const CHECK = 'phones';
const NOT_CLEANED = /^it could not be cleaned: /;
/** Maximum number of phones that are named. */
const MOST = 20;

/**
 * Reports the phones that are out of service: a failure for a phone that could not be cleaned, because what its last
 * user left is still on it, and a warning for every other phone that the lab has put out. Phones that an Admin has put
 * out are only counted.
 * @returns one `ok` finding if the lab has put no phone out
 */
export function checkPhones({
  care,
  cleaning,
}: {
  readonly care: Pick<CareStore, 'all'>;
  readonly cleaning: Pick<CleaningStore, 'all'>;
}): Finding[] {
  const out = care.all();
  const byLab = out.filter(({ byId }) => byId === null);
  const byAdmins = out.length - byLab.length;
  const unclean = cleaning.all().length;
  if (byLab.length === 0) {
    const counts = `${byAdmins} out of service by an Admin, ${unclean} with a holder or not cleaned yet`;
    return [ok(CHECK, `The lab has put no phone out of service (${counts})`)];
  }
  return byLab.slice(0, MOST).map(({ udid, reason, since }) => {
    const message = `The phone ${udid} is out of service since ${new Date(since).toISOString()}: ${reason}`;
    return NOT_CLEANED.test(reason)
      ? failure(
          CHECK,
          message,
          'Clean the phone by hand, then put it back (DELETE /device/:udid/maintenance).',
        )
      : warning(
          CHECK,
          message,
          'Look at the phone. It returns when a probe finds it well or its time is over.',
        );
  });
}
