// `verify`, as an operator meets it.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { verify } from '../../src/cli/verify.ts';
import { lockDataHome } from '../../src/workspace/data-home-lock.ts';
import { openTerminal } from '../cli/terminal.ts';
import { makeConversations } from './conversations.ts';

describe('verify', () => {
  it('[cli.verify] reports each difference on a line, and with --repair fixes and reports it', async () => {
    const terminal = await openTerminal();
    const path = join(terminal.dataHome, 'service.db');
    const { thread, run } = await makeConversations(`sqlite:${path}`);
    expect(await verify(terminal)).toBe(0);
    expect(terminal.text()).toBe('7 threads verified: nothing differs from the record.');

    const database = new DatabaseSync(path);
    database.exec(`update runs set llm_call_count = 9 where run_id = '${run}'`);
    database.exec(`update threads set status = 'error' where thread_id = '${thread}'`);
    database.close();
    const status = `thread ${thread}  thread status: status is error, the record says idle`;
    const count = `thread ${thread} run ${run}  run totals: llm_call_count is 9, the record says 1`;
    const said = async (repair: boolean) => {
      const printed: string[] = [];
      const exitCode = await verify({ ...terminal, print: (line) => printed.push(line) }, { repair });
      return [exitCode, ...printed];
    };
    expect(await said(false)).toEqual([
      1,
      status,
      count,
      '7 threads verified: 2 differences.',
      '`verify --repair` makes the stored values agree with the record.',
    ]);
    expect(await said(true)).toEqual([
      0,
      `${status}; mended`,
      `${count}; mended`,
      '7 threads verified: 2 differences.',
      '2 differences mended.',
    ]);
    expect(await said(true)).toEqual([0, '7 threads verified: nothing differs from the record.']);
  }, 60_000);

  it('[cli.verify.alone] refuses to work beside a service that has the data home', async () => {
    const terminal = await openTerminal();
    const lock = lockDataHome(terminal.dataHome);
    expect(await verify(terminal, { repair: true })).toBe(2);
    expect(terminal.text()).toBe(
      `Process ${process.pid} works on the data home. Verifying needs exclusive access: stop the service first.`,
    );
    lock.release();
    expect(await verify(terminal)).toBe(0);
    expect(await verify(await openTerminal({ PORT: 'x' }))).toBe(1);
  });
});
