import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformSync } from 'rolldown/utils';
import { root } from './run.mjs';

/**
 * Compiles every package whose sources have changed, without checking types: `pnpm check` and `pnpm build` do that with
 * `tsc`, which takes a minute more. The sources allow it, because each file compiles on its own (`verbatimModuleSyntax`).
 * @param onPackage called after each compiled package with the number of packages done and the number of all
 * @returns the names of the packages that were compiled
 */
export function compileAll(onPackage = () => {}) {
  const packages = compiledPackages();
  return packages.filter((folder, index) => {
    const changed = sourcesOf(folder).filter(({ source, output }) => isOlder(output, source));
    for (const each of changed) compile(each);
    if (changed.length > 0) onPackage(index + 1, packages.length);
    return changed.length > 0;
  });
}

/** @returns the folders of the packages that `tsc` compiles, relative to the root */
function compiledPackages() {
  return ['packages', 'apps'].flatMap((room) =>
    readdirSync(join(root, room))
      .map((name) => `${room}/${name}`)
      .filter((folder) => scriptsOf(folder).build?.startsWith('tsc -b')),
  );
}

function scriptsOf(folder) {
  const file = join(root, folder, 'package.json');
  return statSync(file, { throwIfNoEntry: false }) ? JSON.parse(readFileSync(file, 'utf8')).scripts : {};
}

function sourcesOf(folder) {
  const src = join(root, folder, 'src');
  return filesIn(src)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((source) => ({
      source,
      output: join(root, folder, 'dist', relative(src, source).replace(/\.ts$/, '.js')),
    }));
}

/** @returns the paths of all files below a folder */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** @returns whether the output has to be made again because it is missing or older than the source */
function isOlder(output, source) {
  return writtenAt(output) < writtenAt(source);
}

/** @returns the time of the last change of a file in ms since 1970, or 0 if the file does not exist */
export function writtenAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function compile({ source, output }) {
  const { code, map, errors } = transformSync(source, readFileSync(source, 'utf8'), {
    sourcemap: true,
    target: 'es2023',
    typescript: { rewriteImportExtensions: 'rewrite', onlyRemoveTypeImports: true },
  });
  if (errors.length > 0) throw new Error(`${relative(root, source)}: ${errors[0].message}`);
  mkdirSync(dirname(output), { recursive: true });
  const { sourcesContent: _, ...links } = map;
  const sources = [relative(dirname(output), source)];
  writeFileSync(`${output}.map`, JSON.stringify({ ...links, sources }));
  writeFileSync(output, `${code}//# sourceMappingURL=${basename(output)}.map\n`);
}
