import { type Candidate, sameTextAs } from './condition.ts';
import type { PhoneView } from './phone-view.ts';

/**
 * Creates the test whether a phone fits a view, whatever its status. `appium:deviceName` narrows the view only if one of
 * the phones that fit otherwise has this name or model; otherwise it has no effect, as in the drivers (contract 14.3).
 * @param visible returns all phones that the request may use. Called only if the view has a `deviceName`.
 */
export function fitsView(
  view: PhoneView,
  visible: () => readonly Candidate[],
): (phone: Candidate) => boolean {
  if (!view.takesPhone) return () => false;
  const fits = (phone: Candidate) => view.conditions.every((each) => each.holds(phone));
  const { deviceName } = view;
  if (deviceName === null) return fits;
  const isSame = sameTextAs(deviceName);
  const isNamed = ({ device: { name, model } }: Candidate) =>
    isSame(name) || (model !== null && isSame(model));
  const narrows = visible().some((phone) => isNamed(phone) && fits(phone));
  return narrows ? (phone) => isNamed(phone) && fits(phone) : fits;
}
