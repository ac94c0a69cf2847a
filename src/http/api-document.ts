// The OpenAPI 3.1 document, made from the route definitions and the schemas that validate.
import { z } from 'zod';
import { type ApiSchemas, createApiSchemas } from './api-schemas.ts';
import { RELEASE } from './release.ts';
import { accessOf, isOpen } from './route-access.ts';
import type { RouteAnswer, RouteBody, RouteDescription } from './route-table.ts';

export interface ApiOperation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
}

export interface ApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly security: readonly object[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>;
    readonly securitySchemes: object;
  };
}

const errorAnswer: RouteAnswer = {
  description: 'An error: a text, a code with a message, or a list of what is not valid',
  schema: z
    .object({
      detail: z.union([
        z.string(),
        z.object({ code: z.string(), message: z.string() }),
        z.array(
          z.object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() }),
        ),
      ]),
    })
    .meta({ id: 'Error' }),
};

const MAX_NAME = 255;
const MAX_PATH = 4_096;

export function apiDocument(routes: readonly RouteDescription[]): ApiDocument {
  const schemas = createApiSchemas();
  const paths: Record<string, Record<string, ApiOperation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: toOperation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Service',
      version: RELEASE,
      description:
        'Sign in at /api/v1/auth/login/local: it sets the cookies access_token and csrf_token. Send the value of csrf_token back in the header X-CSRF-Token with POST, PUT, PATCH and DELETE. Programs send an API key instead, as Authorization: Bearer <key> or X-Api-Key, and no CSRF token.',
    },
    security: [{ session: [] }, { apiKey: [] }, { apiKeyHeader: [] }],
    paths,
    components: {
      schemas: schemas.components(),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'access_token' },
        apiKey: { type: 'http', scheme: 'bearer' },
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
    },
  };
}

function toOperation(route: RouteDescription, schemas: ApiSchemas): ApiOperation {
  const { path, tag, summary, body, query, answers } = route;
  const parameters = [...pathParameters(path), ...queryParameters(query, schemas)];
  return {
    tags: [tag],
    summary,
    ...securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: toRequestBody(body, schemas) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [status, toResponse(answer, schemas)]),
      ),
      default: toResponse(errorAnswer, schemas),
    },
  };
}

/** Where it is not that of the whole document. */
function securityOf(route: RouteDescription): Pick<ApiOperation, 'security'> {
  const access = accessOf(route);
  if (isOpen(access)) return { security: [] };
  return access === 'session' ? { security: [{ session: [] }] } : {};
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: pathSchema(name),
  }));
}

/** What is longer than anything that there is cannot be found. */
function pathSchema(name: string | undefined): object {
  if (name === 'thread_id') return { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 };
  return { type: 'string', maxLength: name === 'path' ? MAX_PATH : MAX_NAME };
}

function queryParameters(query: z.ZodType | undefined, schemas: ApiSchemas): object[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: schemas.write(schema, 'input'),
  }));
}

function toRequestBody(body: RouteBody<unknown>, schemas: ApiSchemas): object {
  if (body.kind === 'stream') {
    const schema = { type: 'string', format: 'binary' };
    return { content: { [body.contentType]: { schema } }, required: true };
  }
  if (body.kind === 'multipart') {
    const files = { type: 'array', items: { type: 'string', format: 'binary' } };
    const schema = { type: 'object', properties: { [body.field]: files }, required: [body.field] };
    return { content: { 'multipart/form-data': { schema } }, required: true };
  }
  const type = body.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const required = body.kind === 'form' || body.optional !== true;
  return { content: { [type]: { schema: schemas.write(body.schema, 'input') } }, required };
}

function toResponse(
  { description, schema, contentType = 'application/json' }: RouteAnswer,
  schemas: ApiSchemas,
): object {
  if (schema === undefined) return { description };
  return { description, content: { [contentType]: { schema: schemas.write(schema, 'output') } } };
}
