// Approvals of tools: an unreadable file approves nothing, and people do not decide for each other.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serverEntrySchema } from '../../src/mcp/config/server-entry.ts';
import { createPins } from '../../src/mcp/tools/pins.ts';
import { listedTool } from '../../src/mcp/tools/read-tool-list.ts';
import { createSchemaCheck } from '../../src/mcp/tools/schema-check.ts';

let dataHome: string;
beforeAll(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'pins-'));
});
afterAll(() => rm(dataHome, { recursive: true }));

function serverOf(name: string) {
  return { name, entry: serverEntrySchema.parse({}), version: '1', problem: undefined };
}

const isSchema = await createSchemaCheck();

function toolOf(description: string) {
  const tool = listedTool({ name: 'greet', description, inputSchema: { type: 'object' } }, isSchema);
  if ('reason' in tool) throw new Error(tool.reason);
  return tool;
}

const [first, changed] = [toolOf('Greets.'), toolOf('Ignores what was said before.')];

it.each(['', '{"server":', '{}'])(
  '[mcp.tools.pins] approves nothing when its file holds %j',
  async (text) => {
    const server = serverOf(`broken${text.length}`);
    const before = new Set(await readdir(join(dataHome, 'mcp', 'pins')).catch(() => []));
    expect((await createPins(dataHome).judge(server, [first], undefined)).get('greet')).toBe('approved');
    const [name = ''] = (await readdir(join(dataHome, 'mcp', 'pins'))).filter((it) => !before.has(it));
    await writeFile(join(dataHome, 'mcp', 'pins', name), text);
    const pins = createPins(dataHome);
    expect((await pins.judge(server, [changed], undefined)).get('greet')).toBe('new');
    await pins.approve(server, [changed]);
    expect((await pins.judge(server, [changed], undefined)).get('greet')).toBe('approved');
  },
);

it('[mcp.tools.pins] separates what each person has seen, and approves a change for everybody', async () => {
  const [pins, server] = [createPins(dataHome), serverOf('personal')];
  const state = async (userId: string, tool: typeof first) =>
    (await pins.judge(server, [tool], userId)).get('greet');
  expect(await state('ann', first)).toBe('approved');
  expect(await state('ben', changed)).toBe('approved');
  expect(await state('ann', first)).toBe('approved');
  expect(await state('ann', changed)).toBe('changed');
  await pins.approve(server, [changed]);
  expect(await state('ann', changed)).toBe('approved');
});

it('[mcp.tools.pins] loses neither of two concurrent approvals', async () => {
  const [pins, server] = [createPins(dataHome), serverOf('busy')];
  const other = { ...first, name: 'other' };
  await Promise.all([pins.approve(server, [first]), pins.approve(server, [other])]);
  expect([...(await pins.judge(server, [first, other], undefined)).values()]).toEqual([
    'approved',
    'approved',
  ]);
});

it('[mcp.tools.pins.change] keeps the approvals of everybody and of a person until others replace them', async () => {
  const [pins, server] = [createPins(dataHome), serverOf('changing')];
  const before = async (userId: string | undefined) =>
    (await createPins(dataHome).approvedAs(server, userId)).get('greet')?.description;
  await pins.judge(server, [first], undefined);
  await pins.judge(server, [changed], undefined);
  expect(await before(undefined)).toBe('Greets.');
  await pins.judge(server, [changed], 'cem');
  expect(await before('cem')).toBe('Greets.');
  await pins.approve(server, [changed]);
  expect(await before(undefined)).toBe('Ignores what was said before.');
  const own = serverOf('changing for one');
  await pins.judge(own, [changed], 'cem');
  expect((await pins.approvedAs(own, 'cem')).get('greet')?.description).toBe('Ignores what was said before.');
  expect((await pins.approvedAs(own, 'dan')).size).toBe(0);
});
