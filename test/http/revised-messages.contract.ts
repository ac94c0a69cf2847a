// Messages that are changed later, over HTTP: listings and search follow the lineage of the thread.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import type { EventJson, MessagePageJson } from '../support/record-json.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { type Imported, sendPackage } from '../transfer/conversation.ts';

export function revisedMessagesContract(openUrl: () => Promise<string>): void {
  let test: TestService;
  let ann: HttpClient;
  let threadId: string;
  let runId: string;
  beforeAll(async () => {
    test = await openTestService({ config: { database: { url: await openUrl() } } });
    ann = await test.user('ann');
  }, 60_000);
  // Compares the whole database with the record.
  afterAll(() => test.close(), 60_000);

  beforeEach(async () => {
    threadId = await newThread(ann);
    runId = await ask('How old do walruses get?', 'Walruses get forty.');
  });

  async function ask(content: string, reply: string, fields: Record<string, unknown> = {}): Promise<string> {
    test.model.enqueue(answer.text(reply));
    return run(question(content, fields));
  }

  async function run(body: Record<string, unknown>): Promise<string> {
    const frames = await streamed(ann, threadId, body);
    expect(frames.at(-1)?.event).toBe('end');
    const [newest] = await jsonOf<RunJson[]>(ann.get(`/api/threads/${threadId}/runs?limit=1`));
    return newest?.run_id ?? '';
  }

  const state = (of = threadId) => jsonOf<StateJson>(ann.get(`/api/graph/threads/${of}/state`));
  async function update(messages: unknown, fields: Record<string, unknown> = {}): Promise<string> {
    const path = `/api/graph/threads/${threadId}/state`;
    const updated = await ann.post(path, { values: { messages }, ...fields });
    expect(updated.status).toBe(200);
    return (await state()).checkpoint?.checkpoint_id ?? '';
  }
  async function message(place: number) {
    const found = (await state()).values.messages.at(place);
    if (found === undefined) throw new Error(`The thread has no message ${place}.`);
    return { id: found.id, type: found.type };
  }
  const said = (events: readonly EventJson[]) => events.map(({ content }) => content.content);
  const listed = async (of = threadId) =>
    said(await jsonOf<EventJson[]>(ann.get(`/api/threads/${of}/messages`)));
  const paged = async (path: string) => said((await jsonOf<MessagePageJson>(ann.get(path))).data);
  /** Returns the snippets of this thread. */
  async function found(q: string, of = threadId): Promise<readonly string[]> {
    const { results } = await jsonOf<{
      results: { thread_id: string; matches: { snippet: string }[] }[];
    }>(ann.get(`/api/search?${new URLSearchParams({ q })}`));
    return results.flatMap((it) => (it.thread_id === of ? it.matches.map(({ snippet }) => snippet) : []));
  }
  const stateSays = async () => (await state()).values.messages.map(({ content }) => content);

  describe('a message that a state update edits', () => {
    it('[messages.edited] is listed and found with its new text, and no longer by the old one', async () => {
      const question = await message(0);
      await update([{ ...question, content: 'How old do narwhals get?' }]);
      await update([{ ...(await message(1)), content: 'Narwhals get fifty.' }]);
      const now = ['How old do narwhals get?', 'Narwhals get fifty.'];
      expect(await listed()).toEqual(now);
      expect(await stateSays()).toEqual(now);
      for (const path of [
        `/api/threads/${threadId}/messages/page`,
        `/api/threads/${threadId}/runs/${runId}/messages`,
        `/api/runs/${runId}/messages`,
      ]) {
        expect([path, await paged(path)]).toEqual([path, now]);
      }
      expect(await found('narwhals')).toEqual(now.toReversed());
      expect(await found('walruses')).toEqual([]);
    });

    it('[events.revised] stays in the record as it was, and so does the change, with its checkpoint', async () => {
      const question = await message(0);
      const checkpointId = await update([{ ...question, content: 'And seals?' }]);
      const path = `/api/threads/${threadId}/runs/${runId}/events`;
      const types = ['human_message', 'message_edited', 'message_removed'];
      const events = await jsonOf<EventJson[]>(ann.get(`${path}?event_types=${types}`));
      expect(events.map(({ event_type, content }) => [event_type, content.content])).toEqual([
        ['human_message', 'How old do walruses get?'],
        ['message_edited', 'And seals?'],
      ]);
      expect(events[1]?.metadata).toEqual({
        message_id: question.id,
        checkpoint_id: checkpointId,
        content_is_json: true,
      });
    });

    it('[messages.edited] keeps its old text on the branch before, and the edited text where that branch continues', async () => {
      const before = (await state()).checkpoint?.checkpoint_id;
      const edited = await update([{ ...(await message(0)), content: 'How old do narwhals get?' }]);
      await ask('And otters?', 'Otters get twenty.', { checkpoint_id: before });
      const old = ['How old do walruses get?', 'Walruses get forty.', 'And otters?', 'Otters get twenty.'];
      expect(await listed()).toEqual(old);
      expect([...(await found('walruses'))].sort()).toEqual(old.slice(0, 2));
      expect(await found('narwhals')).toEqual([]);
      await ask('And seals?', 'Seals get thirty.', { checkpoint_id: edited });
      expect(await listed()).toEqual([
        'How old do narwhals get?',
        'Walruses get forty.',
        'And seals?',
        'Seals get thirty.',
      ]);
      expect(await found('narwhals')).toEqual(['How old do narwhals get?']);
      expect(await found('walruses')).toEqual(['Walruses get forty.']);
      expect(await listed()).toEqual(await stateSays());
    });

    it('[messages.edited] has the last text after two edits', async () => {
      const question = await message(0);
      await update([{ ...question, content: 'And seals?' }]);
      await update([{ ...question, content: 'And otters?' }]);
      expect(await listed()).toEqual(['And otters?', 'Walruses get forty.']);
      expect(await found('seals')).toEqual([]);
      expect(await found('otters')).toEqual(['And otters?']);
    });
  });

  describe('a message that a state update removes', () => {
    it('[messages.removed] is neither listed nor found, until it returns', async () => {
      const question = await message(0);
      await update([{ type: 'remove', id: question.id }]);
      expect(await listed()).toEqual(['Walruses get forty.']);
      expect(await found('walruses')).toEqual(['Walruses get forty.']);
      expect(await paged(`/api/runs/${runId}/messages`)).toEqual(['Walruses get forty.']);
      await update([{ ...question, content: 'How old do walruses get, again?' }]);
      expect(await listed()).toContain('How old do walruses get, again?');
      expect(await found('again')).toEqual(['How old do walruses get, again?']);
    });

    it('[messages.removed] is listed again from an earlier checkpoint, with all that were removed together', async () => {
      const before = (await state()).checkpoint?.checkpoint_id;
      await update([{ type: 'remove', id: '__remove_all__' }]);
      expect([await listed(), await found('walruses')]).toEqual([[], []]);
      await ask('And otters?', 'Otters get twenty.', { checkpoint_id: before });
      expect(await listed()).toEqual(await stateSays());
      expect(await found('walruses')).toHaveLength(2);
    });
  });

  describe('a run', () => {
    it('[messages.edited] that edits and removes messages by its command is followed', async () => {
      const [question, reply] = [await message(0), await message(1)];
      const messages = [
        { ...question, content: 'How old do narwhals get?' },
        { type: 'remove', id: reply.id },
      ];
      test.model.enqueue(answer.text('Narwhals get fifty.'));
      await run({
        assistant_id: 'lead_agent',
        input: null,
        command: { update: { messages }, goto: 'model' },
      });
      expect(await listed()).toEqual(['How old do narwhals get?', 'Narwhals get fifty.']);
      expect(await listed()).toEqual(await stateSays());
      expect(await found('walruses')).toEqual([]);
      expect(await found('narwhals')).toHaveLength(2);
    });

    it('[messages.repeated] whose input repeats messages lists each of them once', async () => {
      const { messages } = (await state()).values;
      const again = messages.map(({ id, type, content }) => ({ id, type, content }));
      const asked = [...again, { role: 'user', content: 'And otters?' }];
      test.model.enqueue(answer.text('Otters get twenty.'));
      await run({ assistant_id: 'lead_agent', input: { messages: asked } });
      expect(await listed()).toEqual([
        'How old do walruses get?',
        'Walruses get forty.',
        'And otters?',
        'Otters get twenty.',
      ]);
      const [first] = again;
      test.model.enqueue(answer.text('Fifty.'));
      const edited = [{ ...first, content: 'How old do narwhals get?' }];
      await run({ assistant_id: 'lead_agent', input: { messages: edited } });
      expect(await listed()).toEqual(await stateSays());
      expect(await found('narwhals')).toEqual(['How old do narwhals get?']);
    });
  });

  it('[messages.edited] an edit in a copy leaves the thread as it is', async () => {
    const original = threadId;
    const copied = await jsonOf<{ thread_id: string }>(ann.post(`/api/threads/${threadId}/copy`));
    threadId = copied.thread_id;
    await update([{ ...(await message(0)), content: 'How old do narwhals get?' }]);
    expect(await listed(original)).toEqual(['How old do walruses get?', 'Walruses get forty.']);
    expect(await found('walruses', original)).toHaveLength(2);
  });

  it('[messages.edited] edits and removals are part of a package', async () => {
    await ask('And otters?', 'Otters get twenty.');
    await update([{ ...(await message(0)), content: 'How old do narwhals get?' }]);
    await update([{ type: 'remove', id: (await message(1)).id }]);
    const packed = await ann.get(`/api/threads/${threadId}/export`);
    const zip = new Uint8Array(await packed.arrayBuffer());
    const imported = await jsonOf<Imported>(sendPackage(ann, '/api/threads/import', zip));
    const copy = imported.threads[0]?.thread_id ?? '';
    expect(copy).not.toBe(threadId);
    expect(await listed(copy)).toEqual(['How old do narwhals get?', 'And otters?', 'Otters get twenty.']);
    expect(await found('otters', copy)).toHaveLength(2);
    expect(await found('narwhals', copy)).toEqual(['How old do narwhals get?']);
    expect(await found('walruses', copy)).toEqual([]);
  });
}
