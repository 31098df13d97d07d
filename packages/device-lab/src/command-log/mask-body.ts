import { isRecord, REDACTED } from '@svc/auth-core';
import { bodyRule } from './kept-fields.ts';
import { copyMasked, hidesAll, type MaskRules, maskText } from './mask.ts';
import type { TypedTexts } from './typed-texts.ts';

/** Shorter items of a list are more likely names than what somebody typed. */
const WORD = 6;

/**
 * A copy of a body that may be kept: every leaf is masked unless the list says otherwise (specification 5.5.3 says
 * the automation server's own log has it; ours must not). What may have been typed is added to `typed`.
 */
export function maskBody(route: string, body: unknown, typed: TypedTexts): unknown {
  const rule = bodyRule(route, body);
  const note = (text: string) => {
    if (rule.typed === true) typed.add(text);
  };
  const hide = (value: string | number, name: string, inList: boolean): string => {
    const text = String(value);
    // The device does not show the text of a script.
    if (name !== 'script' && (!inList || text.length >= WORD)) note(text);
    return REDACTED;
  };
  const keep = (value: string | number, name: string) => {
    const own = Object.hasOwn(rule.keeps, name) ? rule.keeps[name] : rule.others;
    return own?.(value, typed);
  };
  const rules: MaskRules = {
    leaf: (value, name, inList) => keep(value, name) ?? hide(value, name, inList),
    // Characters one by one spell a text as well.
    list: (items) => note(items.join('')),
    name: (name) => typed.mask(maskText(name)),
    field: (name) => (hidesAll(name) ? hidden : rules),
  };
  const hidden: MaskRules = { ...rules, leaf: hide, field: () => hidden };
  if (route === '/actions') noteKeyTexts(body, note);
  return copyMasked(body, rules);
}

/** Keys pressed one by one spell a text. */
function noteKeyTexts(body: unknown, note: (text: string) => void): void {
  const sources = isRecord(body) && Array.isArray(body.actions) ? body.actions : [];
  for (const source of sources) {
    if (!isRecord(source) || !Array.isArray(source.actions)) continue;
    const pressed = source.actions.filter((action) => isRecord(action) && action.type === 'keyDown');
    note(pressed.map(({ value }) => (typeof value === 'string' ? value : '')).join(''));
  }
}
