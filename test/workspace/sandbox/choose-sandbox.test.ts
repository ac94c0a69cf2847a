// Which sandbox there is, as configured.
import { expect, it } from 'vitest';
import { createConfinement } from '../../../src/processes/confinement.ts';
import { NO_LIMITS } from '../../../src/workspace/quota/disk-use.ts';
import { chooseSandbox } from '../../../src/workspace/sandbox/choose-sandbox.ts';
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

it('[sandbox.choice] the one that is configured; auto takes the virtual shell where bubblewrap is not to be had', async () => {
  expect(await kindOf({ kind: 'virtual' })).toBe('virtual');
  expect(await kindOf({ kind: 'container' })).toBe('container');
  expect(await kindOf({ kind: 'off' })).toBeUndefined();
  const nowhere = await temporaryFolder();
  expect(await kindOf({ kind: 'auto', path: nowhere })).toBe('virtual');
  await expect(kindOf({ kind: 'bubblewrap', path: nowhere })).rejects.toThrow(
    /bubblewrap does not work here\. Install it/,
  );
});

it('[sandbox.host] only with allow_host, and the log says so', async () => {
  await expect(kindOf({ kind: 'host' })).rejects.toThrow(/needs sandbox\.allow_host: true/);
  const sandbox = { kind: 'host', allow_host: true };
  const test = await openTestService({ config: { sandbox } });
  expect(test.complaints.map(({ message }) => message)).toEqual([
    expect.stringContaining('without a sandbox'),
  ]);
  await test.close();
});
