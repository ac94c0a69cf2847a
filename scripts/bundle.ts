// Bundles a script and what it imports at its start: a process that has to find 1,500 files takes twice as long to
// start, and half as much memory again.
import { relative } from 'node:path';

/**
 * Packages of many files, or that many files import. Native packages stay outside, as do those that start threads from
 * their own files and those that are loaded when they are needed.
 */
const INCLUDED = [
  '@fastify/busboy',
  '@hono/node-server',
  'commander',
  'croner',
  'diff',
  'fastest-levenshtein',
  'hono',
  'image-size',
  'ipaddr.js',
  'jose',
  'kysely',
  'lru-cache',
  'mime',
  'uuid',
  'ws',
  'yaml',
  'zod',
];

interface Order {
  /** Absolute path of the script. */
  readonly script: string;
  /** Where the bundle is written, as `main.mjs` and further files beside it. */
  readonly folder: string;
  /** Where it is when it runs. */
  readonly home: string;
}

/** Throws when a source does not compile. */
export async function bundle({ script, folder, home }: Order): Promise<void> {
  const { build } = await import('vite');
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'addresses',
        enforce: 'pre',
        // Other files are found beside the source, wherever the repository is.
        transform: (code, id) => code.replaceAll('import.meta.url', addressOf(relative(home, id))),
      },
    ],
    ssr: { noExternal: INCLUDED },
    build: {
      ssr: script,
      outDir: folder,
      emptyOutDir: true,
      target: 'esnext',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'main.mjs', chunkFileNames: '[name]-[hash].mjs' } },
    },
  });
}

/** An expression for the URL of a file. */
function addressOf(path: string): string {
  return `new URL(${JSON.stringify(path)}, import.meta.url).href`;
}
