/** Names of frequent commands in the words of a person who tests an app. */
const TITLES: Readonly<Record<string, string>> = {
  active: 'Get focused element',
  back: 'Go back',
  clear: 'Clear',
  click: 'Tap',
  clipboard: 'Set clipboard from the Phones page',
  deleteSession: 'End session',
  execute: 'Run script',
  executeAsync: 'Run script',
  forward: 'Go forward',
  getScreenshot: 'Take screenshot',
  performActions: 'Gesture',
  setUrl: 'Open',
  setValue: 'Type into',
  tap: 'Tap from the Phones page',
  text: 'Type from the Phones page',
  timeouts: 'Set timeouts',
  title: 'Get title',
};

/**
 * @returns a command's name as words, such as `Find element` for `findElement`; names such as `mobile: tap` stay
 * unchanged
 */
export function commandTitle(name: string): string {
  const known = Object.hasOwn(TITLES, name) ? TITLES[name] : undefined;
  if (known !== undefined) return known;
  if (!/^[A-Za-z]+$/.test(name)) return name;
  const words = name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  const lower = words
    .split(' ')
    .map((word) => (/^[A-Z]{2,}s?$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}
