import type { AndroidPhone } from '../android-phone.ts';
import { PhoneFiles } from '../phone-files.ts';
import { failed, type Program, type Programs, print } from '../shell-call.ts';

const MISSING = 'No such file or directory';

const exists = ({ files }: AndroidPhone, path: string) =>
  files.get(path) !== undefined || files.isFolder(path);

/** Splits arguments into the letters of options and the paths, with `*` expanded. */
function pathsOf(phone: AndroidPhone, args: readonly string[]): { options: string; paths: string[] } {
  const isOption = (each: string) => each.startsWith('-');
  return {
    options: args.filter(isOption).join(''),
    paths: args.filter((each) => !isOption(each)).flatMap((each) => phone.files.expand(each)),
  };
}

const ls: Program = (call) => {
  const { files } = call.phone;
  const { options, paths } = pathsOf(call.phone, call.args);
  let code = 0;
  for (const path of paths.length === 0 ? ['/'] : paths) {
    if (!exists(call.phone, path)) {
      code = failed(call, `ls: ${path}: ${MISSING}`);
      continue;
    }
    const isListed = files.isFolder(path) && !options.includes('d');
    for (const name of isListed ? files.list(path) : [path]) {
      const size = files.get(isListed ? `${path}/${name}` : name)?.content.length;
      const type = size === undefined ? 'drwxrwx---' : '-rw-rw----';
      print(
        call,
        options.includes('l') ? `${type} 1 root sdcard_rw ${size ?? 4096} 2026-01-01 00:00 ${name}` : name,
      );
    }
  }
  return code;
};

const rm: Program = (call) => {
  const { options, paths } = pathsOf(call.phone, call.args);
  let code = 0;
  for (const path of paths) {
    if (call.phone.files.isFolder(path) && !/[rR]/.test(options))
      code = failed(call, `rm: ${path}: is a directory`);
    else if (!call.phone.files.delete(path) && !options.includes('f'))
      code = failed(call, `rm: ${path}: ${MISSING}`);
  }
  return code;
};

const cat: Program = (call) => {
  let code = 0;
  for (const path of call.args) {
    const file =
      path === '/proc/net/unix' ? Buffer.from(unixSockets(call.phone)) : call.phone.files.get(path)?.content;
    if (file === undefined) code = failed(call, `cat: ${path}: ${MISSING}`);
    else call.out(file);
  }
  return code;
};

function unixSockets({ webViews }: AndroidPhone): string {
  const rows = webViews.map(
    (name) => `0000000000000000: 00000002 00000000 00010000 0001 01 12345 @${name}\n`,
  );
  return `Num       RefCount Protocol Flags    Type St Inode Path\n${rows.join('')}`;
}

/** Lists the files below folders. Conditions other than `-type` and `-print0` are ignored. */
const find: Program = (call) => {
  const { files } = call.phone;
  const folders = call.args.slice(0, call.args.findIndex((each) => each.startsWith('-')) >>> 0);
  const wanted = call.args[call.args.indexOf('-type') + 1];
  const walk = (path: string): void => {
    const isFolder = files.isFolder(path);
    if (!call.args.includes('-type') || (wanted === 'd') === isFolder)
      call.out(`${path}${call.args.includes('-print0') ? '\0' : '\n'}`);
    if (isFolder) for (const name of files.list(path)) walk(`${path}/${name}`);
  };
  for (const folder of folders) if (exists(call.phone, folder)) walk(PhoneFiles.normalized(folder));
  return 0;
};

const test: Program = ({ phone, args: [option, path = ''] }) => {
  const isMet =
    option === '-d'
      ? phone.files.isFolder(path)
      : option === '-f'
        ? phone.files.get(path) !== undefined
        : exists(phone, path);
  return isMet ? 0 : 1;
};

const df: Program = (call) => {
  const { total, used } = call.phone.storage;
  const percent = Math.ceil((100 * used) / total);
  call.out('Filesystem     1K-blocks     Used Available Use% Mounted on\n');
  return print(call, `/dev/block/dm-8 ${total} ${used} ${total - used}  ${percent}% /data`);
};

const mkdir: Program = ({ phone, args }) => {
  for (const path of pathsOf(phone, args).paths) phone.files.createFolder(path);
  return 0;
};

const touch: Program = ({ phone, args }) => {
  for (const path of pathsOf(phone, args).paths)
    phone.files.write(path, phone.files.get(path)?.content ?? '');
  return 0;
};

const stat: Program = (call) => {
  const path = call.args.at(-1) ?? '';
  const file = call.phone.files.get(path);
  return file === undefined
    ? failed(call, `stat: '${path}': ${MISSING}`)
    : print(call, String(file.content.length));
};

/** Programs for files. `[` and `test` know the conditions `-d`, `-e` and `-f`. */
export const filePrograms: Programs = {
  '[': test,
  cat,
  chmod: () => 0,
  df,
  find,
  ls,
  mkdir,
  rm,
  stat,
  test,
  touch,
};
