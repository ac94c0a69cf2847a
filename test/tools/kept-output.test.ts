// Long results of tools, through runs of the service.
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { keepingOutput } from '../../src/tools/kept-output.ts';
import { defineTool, failure, result } from '../../src/tools/tool.ts';
import { createWorkspaceFiles } from '../../src/workspace/workspace-files.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

let runs: ToolRuns | undefined;
afterEach(async () => {
  await runs?.close();
  runs = undefined;
});

const LINES = Array.from({ length: 500 }, (_, index) => `needle ${index} ${'x'.repeat(150)}`);
const NOTES = '/mnt/user-data/workspace/NOTES.md';

it('[tools.kept] shows the beginning, the end and the path of the whole, which read_file can read', async () => {
  runs = await openToolRuns();
  const args = { description: 'w', path: NOTES, content: LINES.slice(0, 450).join('\n') };
  const grep = { pattern: 'needle', path: '/mnt/user-data/workspace', description: 'g', max_results: 500 };
  await runs.call({ name: 'write_file', args });
  const [found] = await runs.call({ name: 'grep', args: grep });
  expect(found?.text.length).toBeLessThan(20_400);
  expect(found?.text).toMatch(
    /NOTES\.md:1: needle 0 [\s\S]*\[middle truncated: \d+ chars skipped\][\s\S]*needle 449 x+\n\(The/,
  );
  const [path = ''] =
    /\/mnt\/user-data\/outputs\/\.tool-results\/grep-\w{12}\.txt/.exec(found?.text ?? '') ?? [];
  const read = { description: 'r', path, start_line: 200, end_line: 200 };
  const [line] = await runs.call({ name: 'read_file', args: read });
  expect(line?.text).toContain('NOTES.md:200: needle 199 x');
});

it('[tools.kept] applies to failures and to blocks, and leaves short results alone', async () => {
  const filesOf = createWorkspaceFiles({ dataHome: await temporaryFolder() });
  const long = 'y'.repeat(50_000);
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const;
  const say = (text: string) => {
    if (text === 'fail') return failure(long);
    return text === 'blocks' ? result([{ type: 'text', text: long }, image]) : result(text);
  };
  const tool = defineTool({
    name: 'say',
    description: 'says',
    input: z.object({ text: z.string() }),
    effect: 'read',
    run: async ({ text }) => say(text),
  });
  runs = await openToolRuns({
    overrides: { tools: () => [keepingOutput(tool, { filesFor: filesOf, maxCharacters: 1_000 })] },
  });
  const [failed, blocks, short] = await runs.call(
    ...['fail', 'blocks', 'short'].map((text) => ({ name: 'say', args: { text } })),
  );
  expect(failed?.status).toBe('error');
  expect(failed?.text).toMatch(
    /^y{750}\n\.\.\. \[middle truncated: 49000 chars skipped\] \.\.\.\ny{250}\n\(The output is long; .*say-\w{12}\.txt/,
  );
  expect(short?.text).toBe('short');
  const { messages } = (await runs.state()).values;
  const content = messages.find((it) => it.tool_call_id === 'call_2')?.content;
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('say-') }, image]);
  expect(blocks).toBeDefined();
});
