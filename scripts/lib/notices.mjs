import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const IN_PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** Name, version and licence text of each package from outside that these modules are of. */
export function noticesOf(modules) {
  const folders = new Map();
  for (const id of modules) {
    const [, folder, name] = IN_PACKAGE.exec(id.replaceAll('\\', '/')) ?? [];
    if (folder !== undefined && !name.startsWith('@svc/')) folders.set(folder, name);
  }
  const notices = [...folders.keys()].map(noticeOf).sort();
  return `Packages that are part of this one, with their licences.\n\n${notices.join('\n')}`;
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n\n${'-'.repeat(80)}\n`;
}
