// Run, it packs template/ for the skill `web-app`, whose sandbox sees the folder of the skill and nothing else of this repository.
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { ZipFile } from 'yazl';

const TEMPLATE = fileURLToPath(new URL('../template/', import.meta.url));
/** Files that git ignores there, and files about the template that do not belong to an app. */
const LEFT_OUT = /^(node_modules|dist|data|\.env|\.git|schema\.d\.ts|new\.mjs|SKILL\.md|.*\.log)$/;
/** The same files make the same package. */
const ENTRY = { mtime: new Date(1980, 0, 1), mode: 0o100644 };

const PACKAGE = fileURLToPath(new URL('../skills/public/web-app/assets/template.zip', import.meta.url));

async function filesBelow(folder) {
  const entries = await readdir(join(TEMPLATE, folder), { withFileTypes: true });
  const kept = entries.filter(({ name }) => !LEFT_OUT.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lists = kept.map((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
  return (await Promise.all(lists)).flat();
}

const zip = new ZipFile();
for (const path of await filesBelow('')) zip.addFile(join(TEMPLATE, path), path, ENTRY);
zip.end();
await pipeline(zip.outputStream, createWriteStream(PACKAGE));
