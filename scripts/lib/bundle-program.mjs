import { rolldown } from 'rolldown';

/** Defines `__dirname`, which bundled CommonJS packages expect. */
const DIRNAME =
  "import { fileURLToPath as __toPath } from 'node:url'; const __dirname = __toPath(new URL('.', import.meta.url));";

/**
 * Escapes all characters outside ASCII, because V8 stores a source with any character outside Latin-1 as two bytes per
 * character.
 */
const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) {
      if (file.type === 'chunk') file.code = escaped(file.code);
    }
  },
};

function escaped(code) {
  // The backslash of an escape such as this would escape the inserted backslash.
  const [wrong] = /(?<!\\)(?:\\\\)*\\[^\0-\x7f]/.exec(code) ?? [];
  if (wrong !== undefined) throw new Error(`${wrong} cannot be escaped`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Bundles programs of Node.js. Modules that a program imports later are in separate chunks. The bundler keeps names and
 * removes only comments and white space, so that stack traces are readable.
 * @param chunks folder of the chunks below `dir`, or an empty string
 * @param together patterns of modules. Each matching module forms one chunk with all that it imports and that no earlier
 *   pattern matches. Without a pattern, modules that several programs or later imports share are in many small chunks.
 * @returns the paths of all modules in the bundle
 */
export async function bundlePrograms({ input, external, dir, chunks = '', together = [] }) {
  const bundle = await rolldown({ input, platform: 'node', external, plugins: [ascii], logLevel: 'warn' });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: `${chunks}chunk-[hash].js`,
    minify: { compress: false, mangle: false, codegen: true },
    banner: DIRNAME,
    codeSplitting: { groups: together.map((test) => ({ name: 'chunk', test })) },
  });
  await bundle.close();
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}
