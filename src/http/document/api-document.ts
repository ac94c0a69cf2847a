// The OpenAPI 3.1 document, generated from the route definitions and their validation schemas.
import { createBreath } from '../../breath.ts';
import { SESSION_COOKIES } from '../access/session-cookies.ts';
import { RELEASE } from '../api/release.ts';
import { accessOf, isOpen } from '../api/route-access.ts';
import { GATEWAY, RUNTIME } from '../api/route-family.ts';
import type { RouteBody, RouteDescription, RouteResponse } from '../api/route-table.ts';
import { type ApiSchemas, createApiSchemas } from './api-schemas.ts';
import { anyError, errorResponses } from './operation-errors.ts';
import { type ApiParameter, parametersOf } from './operation-parameters.ts';

export interface ApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly ApiParameter[];
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

/** Either cookie. Over https, only the one with the prefix is read. */
const SESSION = [{ session: [] }, { secureSession: [] }];
const API_KEY = [{ apiKey: [] }, { apiKeyHeader: [] }];

/** Creates the document. Other work gets its turn in between. */
export async function apiDocument(routes: readonly RouteDescription[]): Promise<ApiDocument> {
  const schemas = createApiSchemas();
  const paths: Record<string, Record<string, ApiOperation>> = {};
  const breath = createBreath();
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: toOperation(route, schemas) };
    await breath();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Service',
      version: RELEASE,
      description:
        'Sign in at `/api/v1/auth/login/local`: it sets the cookies `access_token` and `csrf_token`; over https they are `__Host-access_token`, `__Host-csrf_token` and `csrf_token`. Send the value of `csrf_token` back in the header `X-CSRF-Token` with POST, PUT, PATCH and DELETE. Programs send an API key instead, as `Authorization: Bearer <key>` or `X-Api-Key`, and no CSRF token.',
    },
    security: [...SESSION, ...API_KEY],
    paths,
    components: {
      schemas: schemas.components(),
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIES.http },
        secureSession: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIES.https },
        apiKey: { type: 'http', scheme: 'bearer' },
        apiKeyHeader: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      },
    },
  };
}

function toOperation(route: RouteDescription, schemas: ApiSchemas): ApiOperation {
  const { summary, body, responses } = route;
  const parameters = parametersOf(route, schemas);
  return {
    operationId: operationIdOf(route),
    tags: [headingOf(route)],
    summary,
    ...securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: toRequestBody(body, schemas) }),
    responses: {
      ...Object.fromEntries(
        Object.entries({ ...errorResponses(route), ...responses }).map(([status, response]) => [
          status,
          toResponse(response, schemas),
        ]),
      ),
      default: toResponse(anyError, schemas),
    },
  };
}

/** Headings of operations that are not listed under their group, by path prefix. */
const HEADINGS = [
  ['/health', 'Health'],
  ['/mcp', 'MCP'],
  ['/api/admin', 'Machine'],
  ['/api/audit', 'Audit'],
  ['/api/mcp', 'Tool servers'],
  ['/api/models', 'Models'],
  ['/api/threads/{thread_id}/token-usage', 'Usage'],
  ['/api/usage', 'Usage'],
  ['/api/v1/auth', 'Authentication'],
] as const;

function headingOf(route: RouteDescription): string {
  const [, own] = HEADINGS.find(([beginning]) => route.path.startsWith(beginning)) ?? [];
  return own ?? (isOfRuntime(route) ? RUNTIME : GATEWAY).tag;
}

/** Returns the operation id. Most operations have two prefixes; ids under `/api/graph` begin with `graph`. */
function operationIdOf(route: RouteDescription): string {
  const { operationId } = route;
  if (!isOfRuntime(route)) return operationId;
  return `graph${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`;
}

function isOfRuntime({ path }: RouteDescription): boolean {
  return path.startsWith(`${RUNTIME.prefix}/`);
}

/** Returns the security of an operation if it differs from the document's default. */
function securityOf(route: RouteDescription): Pick<ApiOperation, 'security'> {
  const access = accessOf(route);
  if (isOpen(access)) return { security: [] };
  if (access === 'api_key') return { security: API_KEY };
  return access === 'session' ? { security: SESSION } : {};
}

function toRequestBody(body: RouteBody<unknown>, schemas: ApiSchemas): object {
  if (body.kind === 'stream') {
    const schema = { type: 'string', format: 'binary' };
    return { content: { [body.contentType]: { schema } }, required: true };
  }
  if (body.kind === 'multipart') {
    const files = { type: 'array', items: { type: 'string', format: 'binary' } };
    const texts = (body.texts ?? []).map((name) => [name, { type: 'string' }]);
    const properties = { [body.field]: files, ...Object.fromEntries(texts) };
    const schema = { type: 'object', properties, required: [body.field] };
    return { content: { 'multipart/form-data': { schema } }, required: true };
  }
  const type = body.kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const required = body.kind === 'form' || body.optional !== true;
  return { content: { [type]: schemas.content(body.schema, 'input') }, required };
}

function toResponse(
  { description, schema, contentType = 'application/json', orStream }: RouteResponse,
  schemas: ApiSchemas,
): object {
  if (schema === undefined) return { description };
  return {
    description,
    content: {
      [contentType]: schemas.content(schema, 'output'),
      ...(orStream !== undefined && { 'text/event-stream': schemas.content(orStream, 'output') }),
    },
  };
}
