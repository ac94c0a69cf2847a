// The queries with which frontends decide what to show.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { detailOf } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ config: { uploads: { max_files: 3, max_file_mb: 2, max_total_mb: 4 } } });
});
afterAll(() => service.close());

it('[http.features] names the optional parts, and the limits of uploads under a thread', async () => {
  const ann = await service.user();
  const features = await jsonOf<Record<string, object>>(ann.get('/api/features'));
  expect(features).toMatchObject({ agents_api: { enabled: true }, subagent_batches: { max_running: 0 } });
  expect((await ann.get('/api/agents')).status).toBe(200);
  const limits = await jsonOf(ann.get(`/api/threads/${await newThread(ann)}/uploads/limits`));
  expect(limits).toEqual({ max_files: 3, max_file_size: 2 * 1_048_576, max_total_size: 4 * 1_048_576 });
});

interface Prepared {
  readonly input: { readonly messages: readonly { readonly id: string; readonly content: string }[] };
  readonly checkpoint: { readonly checkpoint_id: string };
  readonly metadata: Readonly<Record<string, string>>;
  readonly target_run_id: string;
  readonly replacement_human_message_id?: string;
  readonly source_message_ids?: readonly string[];
}

it('[http.replay] the last question can be repeated, unchanged and in other words', async () => {
  const ann = await service.user();
  const threadId = await newThread(ann);
  const thread = `/api/threads/${threadId}`;
  const said = async () => {
    const { values } = await jsonOf<StateJson>(ann.get(`${thread}/state`));
    return values.messages.map(({ id, content }) => ({ id, content }));
  };
  const run = async (body: object) => {
    const { run_id } = await jsonOf<{ run_id: string }>(
      ann.post(`${thread}/runs`, { assistant_id: 'lead_agent', ...body }),
    );
    await jsonOf(ann.get(`${thread}/runs/${run_id}/join`));
    return run_id;
  };
  const refused = async (path: string, body: object) => {
    const answered = await ann.post(`${thread}/runs/${path}/prepare`, body);
    return [answered.status, await detailOf(answered)];
  };
  const nothing = { message_id: 'nobody' };
  expect(await refused('regenerate', nothing)).toEqual([409, 'The thread has no reply yet.']);
  service.model.enqueue(
    answer.text('Leaves'),
    answer.text('Green'),
    answer.text('Black'),
    answer.text('Sweet'),
  );
  await run(question('What is tea?'));
  const first = await run(question('Which one?'));
  const [before, older, asked, given] = await said();
  expect(await refused('regenerate', nothing)).toEqual([404, 'Message not found']);
  expect((await refused('regenerate', { message_id: older?.id }))[0]).toBe(409);

  const again = await jsonOf<Prepared>(
    ann.post(`${thread}/runs/regenerate/prepare`, { message_id: given?.id }),
  );
  expect(again.input.messages).toMatchObject([asked]);
  expect([again.target_run_id, again.metadata.regenerate_from_run_id]).toEqual([first, first]);
  const second = await run(again);
  expect((await said()).map(({ content }) => content)).toEqual([
    ...['What is tea?', 'Leaves', 'Which one?', 'Black'],
  ]);

  const edit = (id: string | undefined) => ({ human_message_id: id, replacement_text: ' And with honey? ' });
  expect((await refused('edit-regenerate', edit(before?.id)))[0]).toBe(409);
  const edited = await jsonOf<Prepared>(ann.post(`${thread}/runs/edit-regenerate/prepare`, edit(asked?.id)));
  expect(edited).toMatchObject({ checkpoint: again.checkpoint, target_run_id: second });
  expect(edited.source_message_ids).toEqual((await said()).slice(2).map(({ id }) => id));
  await run(edited);
  const last = await said();
  expect(last.map(({ content }) => content)).toEqual(['What is tea?', 'Leaves', 'And with honey?', 'Sweet']);
  expect(last[2]?.id).toBe(edited.replacement_human_message_id);
});

it('[http.replay] attachments of the question are repeated with it, and its picture stays when its words change', async () => {
  const ann = await service.user();
  const threadId = await newThread(ann);
  const thread = `/api/threads/${threadId}`;
  const said = async () => (await jsonOf<StateJson>(ann.get(`${thread}/state`))).values.messages;
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  const blocks = [{ type: 'text', text: 'What is it?' }, picture];
  service.model.enqueue(answer.text('A leaf'), answer.text('A tree'));
  const messages = ['Here comes a picture', blocks].map((content) => ({ role: 'user', content }));
  await streamed(ann, threadId, { input: { messages } });
  const [first, asked, given] = await said();

  const edit = { human_message_id: asked?.id, replacement_text: 'And now?' };
  const edited = await jsonOf<Prepared>(ann.post(`${thread}/runs/edit-regenerate/prepare`, edit));
  expect(edited.input.messages).toMatchObject([
    { id: first?.id, content: 'Here comes a picture' },
    { id: edited.replacement_human_message_id, content: [{ type: 'text', text: 'And now?' }, picture] },
  ]);

  // A question that was edited in place is repeated at its place, not after its reply.
  const changed = { ...asked, content: 'What is this?' };
  expect((await ann.post(`${thread}/state`, { values: { messages: [changed] } })).status).toBe(200);
  const again = await jsonOf<Prepared>(
    ann.post(`${thread}/runs/regenerate/prepare`, { message_id: given?.id }),
  );
  await streamed(ann, threadId, { ...again });
  expect((await said()).map(({ content }) => content)).toEqual([
    ...['Here comes a picture', 'What is this?', 'A tree'],
  ]);
});
