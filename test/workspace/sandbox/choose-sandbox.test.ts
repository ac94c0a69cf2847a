// The choice of the sandbox by the configuration.
import { expect, it } from 'vitest';
import { type Confinement, createConfinement } from '../../../src/processes/confinement.ts';
import { NO_LIMITS } from '../../../src/workspace/quota/disk-use.ts';
import { chooseSandbox } from '../../../src/workspace/sandbox/choose-sandbox.ts';
import { confinementGaps } from '../../../src/workspace/sandbox/confinement-gaps.ts';
import { openTestService } from '../../support/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { sandboxOptions } from './run-command.ts';

const kindOf = async (options: Parameters<typeof sandboxOptions>[0]) =>
  (
    await chooseSandbox({
      dataHome: await temporaryFolder(),
      diskUseOf: NO_LIMITS,
      options: sandboxOptions(options),
      confinement: createConfinement({ path: sandboxOptions(options).path, hidden: [] }),
    })
  )?.kind;

it('[sandbox.choice] the configured one; auto takes the virtual shell where bubblewrap is unavailable', async () => {
  expect(await kindOf({ kind: 'virtual' })).toBe('virtual');
  expect(await kindOf({ kind: 'container' })).toBe('container');
  expect(await kindOf({ kind: 'off' })).toBeUndefined();
  const nowhere = await temporaryFolder();
  expect(await kindOf({ kind: 'auto', path: nowhere })).toBe('virtual');
  await expect(kindOf({ kind: 'bubblewrap', path: nowhere })).rejects.toThrow(
    /bubblewrap does not work here\. Install it/,
  );
});

it('[sandbox.strict] the service does not start where something is missing, and the sentence names it', async () => {
  const nowhere = await temporaryFolder();
  const strict = (options: Parameters<typeof sandboxOptions>[0]) => kindOf({ ...options, require: 'strict' });
  const refused = /sandbox\.require is strict/;
  await expect(strict({ kind: 'auto', path: nowhere })).rejects.toThrow(/the virtual shell.*Install it/);
  for (const kind of ['virtual', 'host', 'bubblewrap'] as const)
    await expect(strict({ kind, allow_host: true, path: nowhere })).rejects.toThrow(refused);
  await expect(strict({ kind: 'container', network: true })).rejects.toThrow(/sandbox\.network: false/);
  expect([await strict({ kind: 'container' }), await strict({ kind: 'off' })]).toEqual([
    'container',
    undefined,
  ]);
});

it('[sandbox.strict] [sandbox.gaps] each part that the machine lacks is a separate gap', async () => {
  const missing = { kind: 'missing', reason: 'It is not there.' } as const;
  const works = { answered: true, bubblewrap: { works: true }, masks: [] } as const;
  const gapsWith = async (found: Confinement, options = sandboxOptions()) =>
    (await confinementGaps(options, async () => found))
      .filter(({ weight }) => weight === 'wall')
      .map(({ message, fix }) => `${message} ${fix}`);
  const filter = { kind: 'usable', program: Buffer.alloc(0) } as const;
  const groups = { kind: 'usable', open: () => Promise.reject(new Error('Not opened.')) } as const;
  expect(await gapsWith({ ...works, filter, groups })).toEqual([]);
  expect(await gapsWith({ ...works, filter: missing, groups })).toEqual([
    'Commands can make any system call. It is not there.',
  ]);
  expect(await gapsWith({ ...works, filter, groups: missing })).toEqual([
    expect.stringMatching(/^The memory of commands is looked at .* It is not there\.$/),
  ]);
  expect(await gapsWith({ ...works, answered: false, filter, groups })).toEqual([
    expect.stringMatching(/^Bubblewrap did not answer in time/),
  ]);
  // The network is filtered.
  expect(await gapsWith({ ...works, filter, groups }, sandboxOptions({ network: true }))).toEqual([]);
  const container = sandboxOptions({ kind: 'container', network: true });
  expect(await gapsWith({ ...works, filter, groups }, container)).toEqual([
    expect.stringMatching(/^Commands in containers reach every address/),
  ]);
});

it('[sandbox.host] none only with allow_host, and the log reports it', async () => {
  await expect(kindOf({ kind: 'host' })).rejects.toThrow(/needs sandbox\.allow_host: true/);
  const sandbox = { kind: 'host', allow_host: true };
  const test = await openTestService({ config: { sandbox } });
  // Logged once at the start by the program that starts the service.
  expect((await test.service.gaps()).map(({ message }) => message)).toEqual([
    expect.stringContaining('without a sandbox'),
  ]);
  expect(test.complaints).toEqual([]);
  await test.close();
});
