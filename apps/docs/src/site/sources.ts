import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Markdown file of the repository that becomes a page. */
export interface Source {
  /** Path in the repository, with slashes. */
  readonly path: string;
  /** Address of the page relative to the site, such as `guides/ci.html`. */
  readonly address: string;
  readonly text: string;
}

/** Pages whose files are outside `docs`, with their addresses. */
const OUTSIDE: Readonly<Record<string, string>> = {
  'README.md': 'overview.html',
  'SECURITY.md': 'security.html',
  'CHANGELOG.md': 'changelog.html',
  'clients/java/README.md': 'clients/java-library.html',
};

/** Pages for developers of svc, who have the sources. They lead to files that the site does not contain. */
const FOR_DEVELOPERS = /^(?:decisions\/|architecture\.md$|spec-map\.md$)/;

/** Heading of the list of these pages in `docs/README.md`. */
const LIST_FOR_DEVELOPERS = '\n## Understand\n';

/** Address of the list of all pages. */
export const INDEX = 'index.html';

/** Reads all files that become pages, the list of all pages first. */
export function readSources(root: string): readonly Source[] {
  const read = (path: string, address: string): Source => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path, address, text: address === INDEX ? (text.split(LIST_FOR_DEVELOPERS)[0] as string) : text };
  };
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md') && !FOR_DEVELOPERS.test(name))
    .map((name) => read(`docs/${name}`, name.replace(/README\.md$/, INDEX).replace(/\.md$/, '.html')));
  const outside = Object.entries(OUTSIDE).map(([path, address]) => read(path, address));
  return [...inDocs, ...outside].sort(
    (one, other) =>
      Number(other.address === INDEX) - Number(one.address === INDEX) || (one.path < other.path ? -1 : 1),
  );
}
