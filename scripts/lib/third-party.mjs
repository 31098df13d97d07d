import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const IN_PACKAGE = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//;

/** @returns the folders of the third-party packages that contain these modules */
export function packagesOf(modules) {
  const folders = new Set();
  for (const id of modules) {
    const [, folder, name] = IN_PACKAGE.exec(id.replaceAll('\\', '/')) ?? [];
    if (folder !== undefined && !name.startsWith('@svc/')) folders.add(realpathSync(folder));
  }
  return [...folders];
}

/**
 * @returns the folders of the `wanted` packages (names and versions), which are dependencies of the package in `from`
 * or of each other
 */
export function packagesBelow(from, wanted) {
  const isWanted = (folder) => {
    const { name, version } = manifestOf(folder);
    return wanted.some((each) => each.name === name && each.version === version);
  };
  const found = reachable(from, (folder) => {
    const { dependencies, devDependencies, peerDependencies } = manifestOf(folder);
    return allInstalled({ ...dependencies, ...devDependencies, ...peerDependencies }, folder).filter(
      isWanted,
    );
  }).slice(1);
  if (found.length !== wanted.length)
    throw new Error(`of the wanted packages below ${from}, only these are installed: ${found.join(', ')}`);
  return found;
}

/** @returns the folders of the package `name` and of all its installed dependencies */
export function withDependencies(name, from) {
  return reachable(installed(name, from), dependenciesOf);
}

/** @returns the folders of the installed dependencies of the package in `folder` */
export function dependenciesOf(folder) {
  const { dependencies, optionalDependencies } = manifestOf(folder);
  return allInstalled({ ...dependencies, ...optionalDependencies }, folder);
}

export function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @returns name, version and licence text of each package */
export function noticesOf(folders) {
  const notices = folders.map(noticeOf).sort();
  return `Packages that are part of this one, with their licences.\n\n${notices.join('\n')}`;
}

function noticeOf(folder) {
  const { name, version, license } = manifestOf(folder);
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n\n${'-'.repeat(80)}\n`;
}

function reachable(start, next) {
  const folders = new Set([start]);
  // The loop also visits entries that are added during the iteration.
  for (const folder of folders) for (const each of next(folder)) folders.add(each);
  return [...folders];
}

function allInstalled(dependencies, from) {
  return Object.keys(dependencies)
    .map((name) => installed(name, from))
    .filter((folder) => folder !== undefined);
}

function installed(name, from) {
  const paths = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const folder = paths.map((path) => join(path, name)).find((path) => existsSync(join(path, 'package.json')));
  return folder && realpathSync(folder);
}
