// Images that tools show, through runs of the service.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { question, streamed } from '../support/service.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';
import { sendFiles } from '../support/upload.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const UPLOADS = '/mnt/user-data/uploads';
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const inline = (bytes: Buffer, type = 'png') => `data:image/${type};base64,${bytes.toString('base64')}`;

let runs: ToolRuns;
const open = async (supports_vision = true) => {
  runs = await openToolRuns({ scripted: { supports_vision } });
};
beforeEach(() => open());
afterEach(() => runs.close());

const upload = (name: string, content: Uint8Array | string) =>
  sendFiles(runs.client, runs.threadId, [{ name, content }]);
const view = (name: string) => ({ name: 'view_image', args: { image_path: `${UPLOADS}/${name}` } });
const read = (name: string) => ({
  name: 'read_file',
  args: { description: 'look', path: `${UPLOADS}/${name}` },
});

/** Returns the images of the last prompt, with the text before each. */
function shownImages(): readonly (readonly [string, string])[] {
  return runs.prompt().flatMap(({ content }) => {
    const parts = (Array.isArray(content) ? content : []) as { text?: string; image_url?: { url: string } }[];
    return parts.flatMap(({ image_url }, index) =>
      image_url === undefined ? [] : [[parts[index - 1]?.text ?? '', image_url.url] as const],
    );
  });
}

async function folder(name: string): Promise<string> {
  const { id } = await jsonOf<{ id: string }>(runs.client.get('/api/v1/auth/me'));
  return join(runs.test.dataHome, 'users', id, 'threads', runs.threadId, name);
}

describe('a model with vision', () => {
  it('[tools.images] sees an image by view_image and by read_file, detected by its bytes and not by its name', async () => {
    await upload('photo.png', PNG);
    await upload('really-a-gif.txt', GIF);
    const [viewed, readBack] = await runs.call(view('photo.png'), read('really-a-gif.txt'));
    expect([viewed, readBack]).toEqual([
      { status: 'success', text: `Successfully read image ${UPLOADS}/photo.png (PNG, 1 x 1 pixels)` },
      { status: 'success', text: `Successfully read image ${UPLOADS}/really-a-gif.txt (GIF, 1 x 1 pixels)` },
    ]);
    const [first, second] = shownImages();
    expect(first).toEqual([viewed?.text, inline(PNG)]);
    expect(second?.[1]).toEqual(inline(GIF, 'gif'));
    // Images follow the results, whose place in the protocol is for text.
    expect(runs.prompt().map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  });

  it('[tools.images.reference] the state, the record and the streams have a reference, and no bytes', async () => {
    await upload('photo.png', PNG);
    runs.test.model.enqueue(answer.toolCalls([view('photo.png')]));
    const frames = await streamed(
      runs.client,
      runs.threadId,
      question('go', { stream_mode: ['values', 'messages-tuple', 'updates'] }),
    );
    expect(shownImages()).toHaveLength(1);
    const { values } = await runs.state();
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    const facts = { mime_type: 'image/png', size: PNG.length, sha256, width: 1, height: 1 };
    expect(values.viewed_images).toEqual({ [`${UPLOADS}/photo.png`]: facts });
    expect(values.messages.find(({ type }) => type === 'tool')?.artifact).toEqual({
      image: { path: `${UPLOADS}/photo.png`, ...facts },
    });
    const { runs: all } = await jsonOf<{ runs: readonly { run_id: string }[] }>(
      runs.client.get(`/api/threads/${runs.threadId}/runs`),
    );
    const events = await runs.client.get(`/api/threads/${runs.threadId}/runs/${all[0]?.run_id}/events`);
    const stored = JSON.stringify([frames, values, await events.text()]);
    expect(stored).toContain('photo.png');
    expect(stored).not.toContain(PNG.toString('base64').slice(0, 40));
  });

  it('[tools.images.moment] sees an image as it was when it was viewed, turn after turn', async () => {
    await upload('photo.png', PNG);
    await runs.call(view('photo.png'));
    const before = runs.prompt();
    writeFileSync(join(await folder('user-data/uploads'), 'photo.png'), GIF);
    for (let turn = 0; turn < 9; turn++) await runs.call(read('missing.txt'));
    expect(shownImages().map(([, url]) => url)).toEqual([inline(PNG)]);
    expect(runs.prompt().slice(0, before.length)).toEqual(before);
  });

  it('[tools.images.moment] reads that an image has changed when its former contents are lost', async () => {
    await runs.close();
    const dataHome = await temporaryFolder();
    const config = { database: { url: `sqlite:${join(dataHome, 'service.db')}` } };
    const again = { dataHome, config, scripted: { supports_vision: true } };
    runs = await openToolRuns(again);
    const { threadId } = runs;
    await upload('photo.png', PNG);
    await upload('same.gif', GIF);
    await runs.call(view('photo.png'), view('same.gif'));
    // As after a copy of the data home with only the agent's files.
    rmSync(await folder('viewed-images'), { recursive: true });
    writeFileSync(join(await folder('user-data/uploads'), 'photo.png'), 'something else');
    await runs.close();
    runs = await openToolRuns(again);
    await streamed(runs.client, threadId, question('and now?'));
    expect(shownImages().map(([, url]) => url)).toEqual([inline(GIF, 'gif')]);
    expect(JSON.stringify(runs.prompt())).toContain('changed or was removed since');
  });

  it('[tools.images.limits] reads why an image is not shown: too large, too wide, broken, no image', async () => {
    const wide = Buffer.from(PNG);
    wide.writeUInt32BE(9_000, 16);
    await upload('large.png', Buffer.concat([PNG, Buffer.alloc(3_932_161)]));
    await upload('wide.png', wide);
    await upload('broken.png', PNG.subarray(0, 12));
    await upload('text.png', 'no image');
    const refused = await runs.call(
      ...['large.png', 'wide.png', 'broken.png', 'text.png', 'missing.png'].map(view),
    );
    expect(refused.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Error: .*3\.8 MiB.*Make a smaller copy/),
      expect.stringMatching(/^Error: .*9000 x 1 pixels.*Make a smaller copy/),
      expect.stringMatching(/^Error: .*is not a PNG, JPEG, WebP or GIF image/),
      expect.stringMatching(/^Error: .*is not a PNG, JPEG, WebP or GIF image/),
      expect.stringMatching(/^Error: No such file/),
    ]);
    expect(refused.every(({ status }) => status === 'error')).toBe(true);
    expect(shownImages()).toEqual([]);
    const [text] = await runs.call(read('text.png'));
    expect(text?.text).toBe('no image');
  });

  it('[tools.images.many] gets the newest images of a prompt, at most twenty, and a note about the others', async () => {
    const calls = Array.from({ length: 21 }, (_, index) => `${index}.png`);
    for (const name of calls) await upload(name, PNG);
    await runs.call(...calls.slice(0, 20).map(view));
    expect(shownImages()).toHaveLength(20);
    await runs.call(...calls.slice(20).map(view));
    expect(shownImages()).toHaveLength(11);
    expect(JSON.stringify(runs.prompt())).toContain('It is not shown any more, for newer images');
  });
});

describe('a model without vision', () => {
  it('[tools.images.blind] is not offered view_image, and reads that it cannot see images', async () => {
    await runs.close();
    await open(false);
    await upload('photo.png', PNG);
    const [refused] = await runs.call(read('photo.png'));
    expect(refused).toEqual({ status: 'error', text: expect.stringContaining('cannot see images') });
    expect(JSON.stringify(runs.test.model.requests[0]?.body.tools)).not.toContain('view_image');
    expect(JSON.stringify(runs.prompt())).not.toContain('base64');
  });
});

describe('images of a message', () => {
  it('[tools.images.sent] pass through, in each form that clients send', async () => {
    const data = PNG.toString('base64');
    const content = [
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: inline(PNG) } },
      { type: 'image', source_type: 'base64', mime_type: 'image/png', data },
      { type: 'image', mimeType: 'image/png', data },
      { type: 'image', url: 'https://example.com/cat.png' },
    ];
    await streamed(runs.client, runs.threadId, {
      ...question(''),
      input: { messages: [{ role: 'user', content }] },
    });
    expect(shownImages().map(([, url]) => url)).toEqual([
      inline(PNG),
      inline(PNG),
      inline(PNG),
      'https://example.com/cat.png',
    ]);
  });
});
