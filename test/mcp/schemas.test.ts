// Schemas of tools as servers send them: converted for providers, or omitted with the reason.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, it } from 'vitest';
import { createToolListReader } from '../../src/mcp/tools/read-tool-list.ts';
import { answerJson, remotePool, remoteServer, startRemote } from './remote-server.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const readTools = createToolListReader();

/** Reads the tools of a server that has a good tool besides these. */
async function listed(...schemas: readonly unknown[]) {
  const tools = schemas.map((inputSchema, index) => ({ name: `odd-${index}`, inputSchema }));
  const reply = { tools: [...tools, { name: 'good', inputSchema: { type: 'object' } }] };
  const remote = await startRemote(({ id }, response) => answerJson(response, id, reply));
  const pool = remotePool();
  ends.push(remote.close, () => pool.close());
  const signal = new AbortController().signal;
  return pool.use(remoteServer({ url: remote.url }), 'user-1', (it) => readTools(it, signal));
}

const inside = (schema: unknown) => ({ type: 'object', properties: { a: schema } });
const deep = Array.from({ length: 100 }).reduce<object>((it) => ({ items: it }), {});

describe('schemas of tools', () => {
  it.each([
    [
      'a keyword with a value that it cannot have',
      inside({ minLength: 'x' }),
      '/properties/a/minLength must be integer',
    ],
    ['a reference that is no text', inside({ $ref: 5 }), '/properties/a/$ref must be string'],
    ['no type', inside({ type: [] }), '/properties/a/type must'],
    ['a type that there is not', inside({ type: 'banana' }), '/properties/a/type must'],
    ['no value to choose from', inside({ enum: [] }), '(enum) that is empty'],
    ['nothing in anyOf', inside({ anyOf: [] }), '/properties/a/anyOf must NOT have fewer'],
    ['a list for the names of required arguments', inside({ required: 'a' }), 'required must be array'],
    [
      'an argument that providers refuse by its name',
      { properties: { 'a b': {} } },
      "its argument 'a b' has a name",
    ],
    ['an argument of a name that is too long', { properties: { ['a'.repeat(65)]: {} } }, 'has a name that'],
    ['a required argument of such a name', { required: ['$top'] }, "its argument '$top' has a name"],
    [
      'a required argument that is not allowed',
      { required: ['a'], additionalProperties: false },
      'does not allow',
    ],
    [
      'a reference to nothing',
      inside({ $ref: '#/$defs/none' }),
      "refers to '#/$defs/none', which is not in it",
    ],
    ['a reference to elsewhere', inside({ $ref: 'https://a.example/b' }), 'which is not in it'],
    [
      'a reference to itself',
      { ...inside({ $ref: '#/$defs/a' }), $defs: { a: { $ref: '#/$defs/a' } } },
      'back to itself',
    ],
    [
      'references in a circle',
      {
        ...inside({ $ref: '#/$defs/a' }),
        $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { $ref: '#/$defs/a' } },
      },
      'back to itself',
    ],
    ['a top that refers to itself', { $ref: '#' }, 'not in it'],
    [
      'names of arguments that are no expression',
      { patternProperties: { '(': {} } },
      'is no regular expression',
    ],
    ['arguments that are no object', { type: 'string' }, 'its arguments are not an object'],
    ['a hundred levels', deep, 'levels deep'],
    ['more than 64 KB', inside({ description: 'x'.repeat(65_536) }), 'larger than 64 KB'],
    [
      'more than 64 KB of numbers',
      inside({ enum: Array.from({ length: 20_000 }, (_, at) => 0.123456789 + at) }),
      'larger than 64 KB',
    ],
    [
      'more inner schemas than are looked through at once',
      inside({ anyOf: Array.from({ length: 200_000 }, () => ({})) }),
      'more than 2000 schemas',
    ],
    [
      'more required arguments than anybody needs',
      { required: Array.from({ length: 1_001 }, (_, at) => `a${at}`) },
      'requires more than 1000 arguments',
    ],
  ])('[mcp.tools.schemas] omits %s, says why, and offers the others', async (_what, schema, reason) => {
    const { tools, leftOut } = await listed(schema);
    expect(tools.map(({ name }) => name)).toEqual(['good']);
    expect(leftOut).toEqual([{ name: 'odd-0', reason: expect.stringContaining(reason) }]);
  });

  it.each([
    [
      'lists of items',
      inside({ type: 'array', items: [{ type: 'string' }], additionalItems: false }),
      inside({ type: 'array', prefixItems: [{ type: 'string' }], items: false }),
    ],
    ['switches of limits', inside({ minimum: 1, exclusiveMinimum: true }), inside({ exclusiveMinimum: 1 })],
    ['switches that are off', inside({ maximum: 1, exclusiveMaximum: false }), inside({ maximum: 1 })],
    [
      'names of the schema and its draft',
      {
        $schema: 'http://json-schema.org/draft-04/schema#',
        id: 'https://a.example',
        ...inside({ $id: 'b' }),
      },
      inside({}),
    ],
    [
      'dependencies',
      inside({ dependencies: { b: ['c'], d: { type: 'object' } } }),
      inside({ dependentRequired: { b: ['c'] }, dependentSchemas: { d: { type: 'object' } } }),
    ],
    [
      'names that are required twice or not declared',
      { ...inside({ type: 'string' }), required: ['a', 'a', 'b'] },
      { type: 'object', properties: { a: { type: 'string' }, b: {} }, required: ['a', 'b'] },
    ],
    [
      'a top that only refers',
      { $ref: '#/definitions/In', definitions: { In: { type: 'object', properties: { a: {} } } } },
      { definitions: { In: { type: 'object', properties: { a: {} } } }, ...inside({}) },
    ],
    [
      'expressions of other languages',
      inside({ type: 'string', pattern: '(?i)^a\\Z', description: 'A word.' }),
      inside({ type: 'string', description: 'A word. Matches (?i)^a\\Z' }),
    ],
    ['an expression', inside({ pattern: '^(a+)+$' }), inside({ pattern: '^(a+)+$' })],
    [
      'a tree',
      { ...inside({ $ref: '#/$defs/n' }), $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } },
      { ...inside({ $ref: '#/$defs/n' }), $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } },
    ],
    [
      'a property of the name of a keyword',
      inside({ properties: { items: { type: 'string' } } }),
      inside({ properties: { items: { type: 'string' } } }),
    ],
  ])('[mcp.tools.schemas] keeps the meaning of %s in the newest form', async (_what, schema, expected) => {
    const { tools } = await listed(schema);
    expect(tools[0]).toMatchObject({ name: 'odd-0' });
    expect(tools[0]?.inputSchema).toEqual(expected);
    expect(new Ajv2020({ strict: false }).validateSchema(tools[0]?.inputSchema ?? {})).toBe(true);
  });
});
