import { type Candidate, type Condition, shown } from './condition.ts';
import type { PhoneView } from './phone-view.ts';

const NONE_FITS = 'no phone of this lab fits the capabilities';
const MOST_VALUES = 10;
const byValue = new Intl.Collator('en', { numeric: true });

/**
 * Returns the message for a request that no phone fits. If one condition alone excludes every visible phone, the message
 * names it and what these phones have instead (contract 14.3).
 * @param visible phones that the caller sees. Other phones must not change the message.
 */
export function noneFits(views: readonly PhoneView[], visible: readonly Candidate[]): string {
  if (visible.length === 0) return NONE_FITS;
  for (const { conditions } of views) {
    const alone = conditions.find((each) => !visible.some((phone) => each.holds(phone)));
    if (alone !== undefined) return `${NONE_FITS}: ${excluding(alone, visible)}`;
  }
  return NONE_FITS;
}

function excluding({ capability, wanted, has }: Condition, visible: readonly Candidate[]): string {
  const values = [...new Set(visible.flatMap(has))].sort(byValue.compare).slice(0, MOST_VALUES);
  return `${capability} ${wanted}; the lab has ${values.map(shown).join(', ') || 'none'}`;
}
