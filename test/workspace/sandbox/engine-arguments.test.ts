// The calls of an engine: a program in its place records its arguments and runs the command here.
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { NO_LIMITS } from '../../../src/workspace/quota/disk-use.ts';
import type { ReadOnlyFolders } from '../../../src/workspace/read-only/read-only-folders.ts';
import { createContainerSandbox } from '../../../src/workspace/sandbox/container-sandbox.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCommand, sandboxOptions } from './run-command.ts';

/** Each call is a line of JSON; `run` runs the arguments after the image as its entrypoint would. */
const ENGINE = `
const { appendFileSync, existsSync, readFileSync, writeFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const args = process.argv.slice(2);
appendFileSync(process.env.ENGINE_LOG, JSON.stringify({ args, env: Object.keys(process.env) }) + '\\n');
if (args[0] === 'ps') process.stdout.write(existsSync(process.env.ENGINE_LOG + '.names') ? readFileSync(process.env.ENGINE_LOG + '.names') : '');
if (args[0] === 'run') {
  const entry = args.indexOf('--entrypoint');
  if (args[entry + 2] === 'missing') process.exit(125);
  const { status } = spawnSync(args[entry + 1], args.slice(entry + 3), { stdio: 'inherit' });
  process.exit(status);
}
`;

const NOW = 1_800_000_000_000;

interface Asked {
  readonly args: readonly string[];
  readonly env: readonly string[];
}

interface Opened {
  readonly image?: string;
  readonly names?: string;
  readonly network?: boolean;
  readonly readOnly?: ReadOnlyFolders;
}

async function open({ image = 'debian', names = '', network = false, readOnly }: Opened = {}) {
  const folder = await temporaryFolder();
  const log = join(folder, 'log');
  const engine = join(folder, 'engine');
  await writeFile(join(folder, 'engine.cjs'), ENGINE);
  await writeFile(engine, `#!/bin/sh\nexec ${process.execPath} ${join(folder, 'engine.cjs')} "$@"\n`);
  await chmod(engine, 0o755);
  await writeFile(`${log}.names`, names);
  const sandbox = createContainerSandbox({
    dataHome: join(folder, 'da,ta'),
    diskUseOf: NO_LIMITS,
    readOnly,
    options: sandboxOptions({
      network,
      timeout_seconds: 20,
      container: { engine, image, env: { ENGINE_LOG: log } },
    }),
    newId: () => 'id',
    now: () => NOW,
  });
  const asked = async (): Promise<readonly Asked[]> =>
    existsSync(log)
      ? (await readFile(log, 'utf8'))
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  const askedFor = async (verb: string) => (await asked()).filter(({ args }) => args[0] === verb);
  // The check for leftovers of earlier containers runs beside the command, and writes into the folder that is
  // removed.
  onTestFinished(() => expect.poll(() => askedFor('ps'), { timeout: 10_000 }).not.toEqual([]));
  return { sandbox, folder, askedFor };
}

/** Ends 20 s for the command and one minute later. */
const NAME = `agent-service-until-${NOW / 1_000 + 80}-id`;

it('[sandbox.container] a container has no network, privileges or files but those of the thread', async () => {
  const { sandbox, folder, askedFor } = await open();
  const ran = await runCommand(sandbox, 'echo out; echo bad >&2; exit 3');
  expect(ran).toEqual({ outcome: { kind: 'exited', code: 3 }, stdout: 'out\n', stderr: 'bad\n' });
  const [{ args, env } = { args: [], env: [] }] = await askedFor('run');
  const files = join(folder, 'da,ta', 'users', 'ann', 'threads', 'thread-1', 'user-data');
  const given = (flag: string) => args[args.indexOf(flag) + 1];
  const told = [
    '--name',
    '--network',
    '--user',
    '--cap-drop',
    '--security-opt',
    '--log-driver',
    '--entrypoint',
  ];
  expect(told.map(given)).toEqual([
    NAME,
    'none',
    `${process.getuid?.()}:${process.getgid?.()}`,
    'ALL',
    'no-new-privileges',
    'none',
    '/bin/bash',
  ]);
  expect(['--pids-limit', '--memory', '--memory-swap', '--tmpfs', '--workdir'].map(given)).toEqual([
    '64',
    '192m',
    '192m',
    '/tmp:size=192m,mode=1777',
    '/mnt/user-data/workspace',
  ]);
  expect(
    ['--rm', '--init', '--read-only', '--quiet', '--no-healthcheck'].filter((it) => !args.includes(it)),
  ).toEqual([]);
  expect(args.filter((_, index) => args[index - 1] === '--mount')).toEqual(
    ['workspace', 'uploads', 'outputs'].map(
      (area) => `type=bind,"source=${files}/${area}",target=/mnt/user-data/${area}`,
    ),
  );
  expect(args.some((it) => /^(?:-v|--volume|--privileged|--pid|--ipc|--device|-i|-t)$/.test(it))).toBe(false);
  expect(env.filter((name) => !['PATH', 'ENGINE_LOG', 'PWD', 'SHLVL', '_'].includes(name))).toEqual([]);
  const network = await open({ network: true });
  await runCommand(network.sandbox, 'true');
  expect((await network.askedFor('run'))[0]?.args).toContain('bridge');
});

it('[sandbox.container] [sandbox.read_only] folders beside the thread are mounted read-only', async () => {
  const real = join(await temporaryFolder(), 'list');
  await mkdir(real);
  const folders = [
    { virtual: '/mnt/beside/list', real },
    { virtual: '/mnt/beside/gone', real: `${real}-gone` },
  ];
  const readOnly = { root: '/mnt/beside', of: async () => folders, missing: (path: string) => path };
  const { sandbox, askedFor } = await open({ readOnly });
  await runCommand(sandbox, 'true');
  const [{ args } = { args: [] }] = await askedFor('run');
  expect(args.filter((_, index) => args[index - 1] === '--mount').slice(3)).toEqual([
    `type=bind,source=${real},target=/mnt/beside/list,readonly`,
  ]);
});

it('[sandbox.container] a cancelled container is killed by its name, and removed', async () => {
  const { sandbox, askedFor } = await open();
  const cancel = new AbortController();
  const { outcome } = await runCommand(sandbox, 'echo begun; sleep 60', {
    signal: cancel.signal,
    onOutput: () => cancel.abort(),
  });
  expect(outcome).toEqual({ kind: 'stopped', cause: 'cancelled' });
  await expect.poll(() => askedFor('rm'), { timeout: 10_000 }).not.toEqual([]);
  expect((await askedFor('kill')).map(({ args }) => args)).toEqual([['kill', NAME]]);
  expect((await askedFor('rm'))[0]?.args).toEqual(['rm', '--force', NAME]);
});

it('[sandbox.container] expired containers are removed at the start, and no others', async () => {
  const names = [-1, 0, 1, 600].map((seconds) => `agent-service-until-${NOW / 1_000 + seconds}-x`);
  const all = [...names, 'agent-service-mine', 'agent-service-until-1-', 'my-agent-service-until-1-x', ''];
  const { askedFor } = await open({ names: all.join('\n') });
  await expect.poll(() => askedFor('rm'), { timeout: 10_000 }).not.toEqual([]);
  expect((await askedFor('rm')).map(({ args }) => args)).toEqual([['rm', '--force', names[0]]]);
});

it('[sandbox.container] an engine that cannot start a container is reported in words', async () => {
  const { sandbox } = await open({ image: 'missing' });
  expect((await runCommand(sandbox, 'true')).outcome).toMatchObject({ kind: 'failed' });
});
