/** @returns the first text or number with this key, at any depth */
export function textOf(request: string, key: string): string | undefined {
  return new RegExp(`<key>${key}</key>\\s*<(?:string|integer)>([^<]*)<`).exec(request)?.[1];
}

/** @returns a dictionary. A member that begins with `<` is an element already. */
export function dict(members: Readonly<Record<string, string | number | boolean>>): string {
  const texts = Object.entries(members).map(([key, member]) => `<key>${key}</key>${element(member)}`);
  return `<dict>${texts.join('')}</dict>`;
}

function element(value: string | number | boolean): string {
  if (typeof value === 'number') return `<integer>${value}</integer>`;
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  return value.startsWith('<') ? value : `<string>${value}</string>`;
}
