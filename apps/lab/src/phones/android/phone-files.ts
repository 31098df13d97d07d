/** A file or folder of a scripted phone. */
interface PhoneFile {
  readonly content: Buffer;
  /** Seconds since 1970. */
  readonly modified: number;
}

const FOLDERS = ['/', '/sdcard', '/sdcard/Download', '/sdcard/DCIM', '/sdcard/Pictures', '/data/local/tmp'];

/** The files of a scripted phone by their absolute path. A folder exists if it is created or contains a file. */
export class PhoneFiles {
  readonly #files = new Map<string, PhoneFile>();
  readonly #folders = new Set(FOLDERS);

  /** @returns the absolute path without a slash at its end; `/storage/emulated/0` is another name of `/sdcard` */
  static normalized(path: string): string {
    const plain = `/${path}`
      .replace(/\/+/g, '/')
      .replace(/(?:\/\.)+(?=\/|$)/g, '')
      .replace(/(?<=.)\/$/, '');
    return (plain || '/').replace(/^\/(?:storage\/emulated\/0|mnt\/sdcard)(?=\/|$)/, '/sdcard');
  }

  /** All paths of files. */
  get paths(): readonly string[] {
    return [...this.#files.keys()].sort();
  }

  get(path: string): PhoneFile | undefined {
    return this.#files.get(PhoneFiles.normalized(path));
  }

  write(path: string, content: Buffer | string, modified = Math.floor(Date.now() / 1000)): void {
    this.#files.set(PhoneFiles.normalized(path), { content: Buffer.from(content), modified });
  }

  createFolder(path: string): void {
    this.#folders.add(PhoneFiles.normalized(path));
  }

  isFolder(path: string): boolean {
    const folder = PhoneFiles.normalized(path);
    return this.#folders.has(folder) || this.#below(folder).length > 0;
  }

  /** @returns the names of what a folder contains */
  list(path: string): string[] {
    const folder = PhoneFiles.normalized(path);
    const names = this.#below(folder).map((each) => each.slice(prefixOf(folder).length).split('/')[0] ?? '');
    return [...new Set(names)].sort();
  }

  /** Deletes a file, or a folder with its content. @returns whether anything was deleted */
  delete(path: string): boolean {
    const target = PhoneFiles.normalized(path);
    const all = [...this.#below(target), target];
    return all.flatMap((each) => [this.#files.delete(each), this.#folders.delete(each)]).includes(true);
  }

  /** @returns the existing paths that a pattern of the shell with `*` matches, or the pattern if there are none */
  expand(pattern: string): string[] {
    if (!pattern.includes('*')) return [pattern];
    const path = PhoneFiles.normalized(pattern);
    const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    const matching = new RegExp(`^${parts.join('[^/]*')}$`);
    const depth = path.split('/').length;
    const all = [...this.#files.keys(), ...this.#folders].map((each) =>
      each.split('/').slice(0, depth).join('/'),
    );
    const found = [...new Set(all)].filter((each) => matching.test(each)).sort();
    return found.length === 0 ? [pattern] : found;
  }

  #below(folder: string): string[] {
    const prefix = prefixOf(folder);
    return [...this.#files.keys(), ...this.#folders].filter(
      (each) => each.startsWith(prefix) && each !== prefix,
    );
  }
}

function prefixOf(folder: string): string {
  return folder === '/' ? '/' : `${folder}/`;
}
