// The worked example of a resource: list, create, read, update and delete the notes of the signed-in user.
import { createRoute, z } from '@hono/zod-openapi';
import type { Sessions } from '../auth/sessions.ts';
import { ApiError } from '../errors.ts';
import { failures, json, jsonBody } from '../responses.ts';
import { createRouter } from '../router.ts';
import { type NoteStore, noteSchema, noteSummarySchema } from './note-store.ts';

const title = z.string().trim().min(1, 'A note needs a title.').max(200, 'A title has at most 200 characters.');
const text = z.string().max(100_000, 'A text has at most 100,000 characters.');
const newNoteSchema = z.strictObject({ title, text: text.default('') }).openapi('NewNote');
const version = z.int().openapi({ description: 'The version that was read: when the note has another one, 409.' });
const changeSchema = z.strictObject({ version, title: title.optional(), text: text.optional() }).openapi('NoteChange');
const listSchema = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  after: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_[0-9a-f-]{36}$/, 'This is not the `next` of a page.')
    .optional()
    .openapi({ description: '`next` of the page before.' }),
});
const pageSchema = z.object({
  notes: z.array(noteSummarySchema),
  next: z.string().nullable().openapi({ description: 'Where the next page begins; null on the last one.' }),
});
const params = z.object({ id: z.string() });

export function noteRoutes(notes: NoteStore, sessions: Sessions) {
  const common = { tags: ['Notes'], security: [{ session: [] }], middleware: [sessions.require] };
  const one = { request: { params }, responses: { 200: json('The note.', noteSchema), ...failures(401, 404) } };
  const list = createRoute({
    ...common,
    method: 'get',
    path: '/notes',
    request: { query: listSchema },
    responses: { 200: json('A page of notes, the one that changed last first.', pageSchema), ...failures(400, 401) },
  });
  const create = createRoute({
    ...common,
    method: 'post',
    path: '/notes',
    request: jsonBody(newNoteSchema),
    responses: { 201: json('The note.', noteSchema), ...failures(400, 401) },
  });
  const read = createRoute({ ...common, ...one, method: 'get', path: '/notes/{id}' });
  const change = createRoute({
    ...common,
    method: 'patch',
    path: '/notes/{id}',
    request: { params, ...jsonBody(changeSchema) },
    responses: { ...one.responses, ...failures(400, 409) },
  });
  const responses = { 204: { description: 'It is gone.' }, ...failures(401, 404) };
  const remove = createRoute({ ...common, ...one, method: 'delete', path: '/notes/{id}', responses });

  return createRouter()
    .openapi(list, (c) => {
      const { limit, after } = c.req.valid('query');
      // One more than requested shows whether there is a next page.
      const [updatedAt = '', id = ''] = after?.split('_') ?? [];
      const found = notes.list(c.get('user').id, limit + 1, after === undefined ? undefined : { updatedAt, id });
      const page = found.slice(0, limit);
      const last = found.length > limit ? page.at(-1) : undefined;
      return c.json({ notes: page, next: last === undefined ? null : `${last.updatedAt}_${last.id}` }, 200);
    })
    .openapi(create, (c) => c.json(notes.add(c.get('user').id, c.req.valid('json')), 201))
    .openapi(read, (c) => c.json(existing(notes.read(c.get('user').id, c.req.valid('param').id)), 200))
    .openapi(change, (c) => {
      const changed = notes.change(c.get('user').id, c.req.valid('param').id, c.req.valid('json'));
      if (changed === 'changed') throw new ApiError(409, 'The note has changed since you opened it.');
      return c.json(existing(changed), 200);
    })
    .openapi(remove, (c) => {
      existing(notes.remove(c.get('user').id, c.req.valid('param').id) || undefined);
      return c.body(null, 204);
    });
}

function existing<T>(found: T | undefined): T {
  if (found === undefined) throw new ApiError(404, 'There is no such note.');
  return found;
}
