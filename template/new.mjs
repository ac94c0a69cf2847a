// Copies this template: `node new.mjs new <folder>`. Plain Node, without packages: it may be an old one.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeSecret } from './scripts/make-secret.mjs';

const SOURCE = dirname(fileURLToPath(import.meta.url));
/** Files that git ignores here, and files about the template that do not belong to the app. */
const LEFT_OUT = /^(node_modules|dist|data|\.env|\.git|schema\.d\.ts|new\.mjs|SKILL\.md|.*\.log)$/;
const PLACEHOLDER = 'my-app';

function main([command, folder, ...rest]) {
  if (command !== 'new' || folder === undefined || rest.length > 0) return 'Say where: new <folder>';
  // npm runs scripts in the folder of its package; this is where the person is.
  const target = resolve(process.env.INIT_CWD ?? '', folder);
  if (`${target}${sep}`.startsWith(`${SOURCE}${sep}`)) return 'The copy cannot be inside of the template.';
  if (existsSync(target) && readdirSync(target).length > 0) return `${folder} is not empty: choose another folder.`;
  const name = basename(target)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (name === '') return `${folder} gives the app no name: use letters and digits.`;

  copy(SOURCE, target, name);
  makeSecret(target);
  process.stdout.write(`${name} is in ${target}. There: npm ci && npm start, then open http://localhost:3000\n`);
}

function copy(from, to, name) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copy(source, target, name);
    else {
      copyFileSync(source, target);
      const text = readFileSync(source, 'utf8');
      if (text.includes(PLACEHOLDER)) writeFileSync(target, text.replaceAll(PLACEHOLDER, name));
    }
  }
}

const problem = main(process.argv.slice(2));
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
