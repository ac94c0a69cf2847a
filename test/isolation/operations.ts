// The routes of the service as its own API document tells them, with every name in them that may be an id.
import { z } from 'zod';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';

export interface Operation {
  /** `POST /api/threads`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** Names in braces. */
  readonly params: readonly string[];
  /** Fields of query and body, at any depth, whose name says that they may hold an id. */
  readonly fields: readonly string[];
  readonly isSocket: boolean;
}

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        parameters: z.array(z.object({ name: z.string(), in: z.string() })).default([]),
        requestBody: z.unknown().optional(),
        responses: z.record(z.string(), z.unknown()),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});
export type ApiDocument = z.output<typeof documentSchema>;

const MAY_BE_ID = /(?:^|_)ids?$|Id$|^(?:before|after|user|checkpoint|thread|run|message|join)$/;

export async function operationsOf(client: HttpClient): Promise<readonly Operation[]> {
  return toOperations(documentSchema.parse(await jsonOf(client.get('/openapi.json'))));
}

export function toOperations({ paths, components }: ApiDocument): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody, responses }]) => {
      const query = parameters.filter((it) => it.in === 'query').map((it) => it.name);
      const names = new Set([...query, ...propertyNames(requestBody, components.schemas)]);
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        fields: [...names].filter((name) => MAY_BE_ID.test(name)),
        isSocket: '101' in responses,
      };
    }),
  );
}

/** All names of properties in a schema, whatever it refers to. */
function propertyNames(
  schema: unknown,
  schemas: Readonly<Record<string, unknown>>,
  seen: ReadonlySet<string> = new Set(),
): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === '$ref' && typeof value === 'string') {
      const name = value.split('/').at(-1) ?? '';
      return seen.has(name) ? [] : propertyNames(schemas[name], schemas, new Set([...seen, name]));
    }
    const own = key === 'properties' && typeof value === 'object' && value !== null ? Object.keys(value) : [];
    return [...own, ...propertyNames(value, schemas, seen)];
  });
}
