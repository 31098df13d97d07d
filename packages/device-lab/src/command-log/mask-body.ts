import { isRecord } from '@svc/contract';
import { REDACTED } from '../capabilities/redacted.ts';
import { bodyRule } from './kept-fields.ts';
import { copyMasked, hidesAll, type MaskRules, maskText } from './mask.ts';
import type { TypedTexts } from './typed-texts.ts';

/**
 * Minimum length of a list item that is added to the typed texts, which are masked in all later rows of the session's
 * log. A shorter item is more likely a common word than typed text. If common words were masked everywhere, the log
 * would be unreadable.
 */
const WORD = 6;

/**
 * Copies the body of a command for the log and masks every value that `kept-fields.ts` does not allow. Unlike the log
 * of the automation server (specification 5.5.3), this log must not contain typed text. Text that may have been typed
 * is added to `typed`.
 */
export function maskBody(route: string, body: unknown, typed: TypedTexts): unknown {
  const rule = bodyRule(route, body);
  const note = (text: string) => {
    if (rule.typed === true) typed.add(text);
  };
  const hide = (value: string | number, name: string, inList: boolean): string => {
    const text = String(value);
    // A script is not added to the typed texts, because the device does not show it.
    if (name !== 'script' && (!inList || text.length >= WORD)) note(text);
    return REDACTED;
  };
  const keep = (value: string | number, name: string) => {
    const own = Object.hasOwn(rule.keeps, name) ? rule.keeps[name] : rule.others;
    return own?.(value, typed);
  };
  const rules: MaskRules = {
    leaf: (value, name, inList) => keep(value, name) ?? hide(value, name, inList),
    // Join the items, because WebDriver clients can also send typed text as a list of single characters.
    list: (items) => note(items.join('')),
    name: (name) => typed.mask(maskText(name)),
    field: (name) => (hidesAll(name) ? hidden : rules),
  };
  const hidden: MaskRules = { ...rules, leaf: hide, field: () => hidden };
  if (route === '/actions') noteKeyTexts(body, note);
  return copyMasked(body, rules);
}

/**
 * Calls `note` with the text that the key presses of each input source spell. `body` is the body of an `actions`
 * request.
 */
function noteKeyTexts(body: unknown, note: (text: string) => void): void {
  const sources = isRecord(body) && Array.isArray(body.actions) ? body.actions : [];
  for (const source of sources) {
    if (!isRecord(source) || !Array.isArray(source.actions)) continue;
    const pressed = source.actions.filter((action) => isRecord(action) && action.type === 'keyDown');
    note(pressed.map(({ value }) => (typeof value === 'string' ? value : '')).join(''));
  }
}
