// What the log of a start says of the machine, and what a service that wants more of it says instead of starting.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const START = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));

/** All that the service says with this sandbox, until it ends: by itself, or because it has started and is told to. */
async function said(sandbox: string): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'config.yaml'), `sandbox: ${sandbox}\nserver: {port: 0}\nlog: {format: json}\n`);
  const env = { PATH: process.env.PATH ?? '', HOME: cwd };
  const child = spawn(process.execPath, [START, 'serve'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (text.includes('Agent service')) child.kill('SIGTERM');
    });
  await once(child, 'close');
  return text;
}

it('[sandbox.gaps] [sandbox.strict] a start reports what is missing, once each, or refuses', async () => {
  const gap = 'Commands run in the virtual shell, a plain process of this user.';
  const started = await said('{kind: virtual}');
  expect(started).toMatch(/^Agent service +http/m);
  expect(started.split(gap)).toHaveLength(2);
  const refused = await said('{kind: virtual, require: strict}');
  expect(refused).not.toMatch(/^Agent service/m);
  expect(refused).toContain(`sandbox.require is strict, and this machine cannot hold commands. ${gap}`);
});
