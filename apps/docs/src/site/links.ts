import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import type { Source } from './sources.ts';

/** Files of `docs` that the site contains beside the pages: pictures, and files to download. */
const FILE = /^docs\/.+\.(?:png|svg|json|service)$/;

/** Resolves the links of the pages. */
export class Links {
  readonly #root: string;
  readonly #pages: ReadonlyMap<string, Source>;
  readonly #files = new Set<string>();

  constructor(root: string, sources: readonly Source[]) {
    this.#root = root;
    this.#pages = new Map(sources.map((source) => [source.path, source]));
  }

  /** Paths in the repository of the files that the resolved links need. */
  get files(): ReadonlySet<string> {
    return this.#files;
  }

  /**
   * Resolves a link of a page.
   * @returns the address relative to the page, or undefined if the link leads to a file that the site does not contain
   */
  resolve(from: Source, link: string): string | undefined {
    if (/^(?:[a-z]+:|#)/.test(link)) return link;
    const [path = '', anchor] = link.split('#');
    const target = posix.join(posix.dirname(from.path), decodeURI(path));
    const address = this.#pages.get(target)?.address ?? this.#fileAt(target);
    if (address === undefined) return undefined;
    return relativeTo(from.address, address) + (anchor === undefined ? '' : `#${anchor}`);
  }

  #fileAt(path: string): string | undefined {
    const file = posix.join(this.#root, path);
    if (!FILE.test(path) || !existsSync(file) || !statSync(file).isFile()) return undefined;
    this.#files.add(path);
    return addressOfFile(path);
  }
}

/** @returns the address of a file of `docs`, relative to the site */
export function addressOfFile(path: string): string {
  return path.slice('docs/'.length);
}

/** @returns an address of the site relative to the page at another address of the site */
export function relativeTo(from: string, address: string): string {
  return posix.relative(posix.dirname(from), address) || posix.basename(address);
}
