// The generator itself: a route or an id that nobody thought of fails the build.
import { describe, expect, it } from 'vitest';
import { attacksOn } from './attacks.ts';
import { type ApiDocument, toOperations } from './operations.ts';
import { absentIds } from './world.ts';

function documentOf(path: string, properties: Record<string, unknown> = {}): ApiDocument {
  const $ref = '#/components/schemas/Body';
  const requestBody = { content: { 'application/json': { schema: { $ref } } } };
  const route = { parameters: [{ name: 'before', in: 'query' }], requestBody, responses: { 200: {} } };
  const nested = { properties: { deep: { type: 'array', items: { properties } } } };
  return { paths: { [path]: { post: route } }, components: { schemas: { Body: nested } } };
}

describe('the generator', () => {
  it('[isolation.complete] refuses a route without a case, and a case without a route', () => {
    const operations = toOperations(documentOf('/api/new'));
    expect(() => attacksOn(operations, {})).toThrow('say which ids reach them: POST /api/new');
    expect(() => attacksOn([], { 'GET /api/old': {} })).toThrow('GET /api/old');
  });

  it('[isolation.complete] refuses an id in path, query or body that the case does not cover', () => {
    const path = 'POST /api/new/{thread_id}';
    const operations = toOperations(documentOf('/api/new/{thread_id}', { parent_run_id: {}, title: {} }));
    expect(() => attacksOn(operations, { [path]: {} })).toThrow('does not cover: before, parent_run_id');
    const unknown = toOperations(documentOf('/api/new/{gadget_id}'));
    expect(() => attacksOn(unknown, { 'POST /api/new/{gadget_id}': { nobodys: { before: 'x' } } })).toThrow(
      '{gadget_id}',
    );
  });

  it('[isolation.complete] tries every id alone, and all of them', () => {
    const path = 'POST /api/threads/{thread_id}/runs/{run_id}';
    const operations = toOperations(documentOf('/api/threads/{thread_id}/runs/{run_id}', { user: {} }));
    const body = {
      fields: ['user'],
      kinds: ['user'],
      sent: ({ user }: { user: string }) => ({ body: { user } }),
    } as const;
    const attacks = attacksOn(operations, { [path]: { nobodys: { before: 'x' }, attacks: [body] } });
    expect(attacks.map(({ kinds }) => kinds)).toEqual([['thread'], ['run'], ['thread', 'run'], ['user']]);
    const ids = absentIds();
    expect(attacks[0]?.path(ids)).toBe(`/api/threads/${ids.thread}/runs/${ids.run}`);
    expect(attacks[3]?.sent(ids)).toEqual({ body: { user: ids.user } });
  });
});
