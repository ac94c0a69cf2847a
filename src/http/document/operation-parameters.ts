// The parameters of an operation: its path, its query, and the headers that it reads.
import { z } from 'zod';
import { REQUEST_HEADERS, type RequestHeader } from '../api/request-headers.ts';
import { accessOf, isOpen } from '../api/route-access.ts';
import type { RouteDescription } from '../api/route-table.ts';
import type { ApiSchemas } from './api-schemas.ts';

export interface ApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string | undefined;
  readonly schema: object;
}

/** Longer values match nothing that exists. */
const NAME = { type: 'string', maxLength: 255 };
const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly schema: object }>> = {
  thread_id: {
    description: 'The id of the thread.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$', maxLength: 64 },
  },
  run_id: { description: 'The id of the run.', schema: NAME },
  checkpoint_id: { description: 'The id of the checkpoint.', schema: NAME },
  assistant_id: { description: 'The name of the agent, or the id derived from it.', schema: NAME },
  namespace: { description: 'The name of a graph inside the graph.', schema: NAME },
  feedback_id: { description: 'The id of the feedback.', schema: NAME },
  filename: { description: 'The name of the file, as in the listing.', schema: NAME },
  key_id: { description: 'The id of the API key.', schema: NAME },
  session_id: { description: 'The id of the session.', schema: NAME },
  skill_name: { description: 'The name of the skill.', schema: NAME },
  agent_name: { description: 'The name of the agent.', schema: NAME },
  version: { description: 'The number of the version.', schema: NAME },
  schedule_id: { description: 'The id of the schedule.', schema: NAME },
  fact_id: { description: 'The id of the fact.', schema: NAME },
  task_id: { description: 'The id of the task.', schema: NAME },
  server: { description: 'The name of the tool server.', schema: NAME },
  model_name: { description: 'The name of the model.', schema: NAME },
  path: {
    description:
      'The path of the file, slashes included: `mnt/user-data/outputs/report.md`, or `scripts/run.py` of a skill.',
    schema: { type: 'string', maxLength: 4_096 },
  },
};

export function parametersOf(route: RouteDescription, schemas: ApiSchemas): readonly ApiParameter[] {
  return [
    ...pathParameters(route.path),
    ...queryParameters(route.query, schemas),
    ...headersOf(route).map(headerParameter),
  ];
}

function pathParameters(path: string): readonly ApiParameter[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description, schema } = PATH_PARAMETERS[name] ?? { description: undefined, schema: NAME };
    return { name, in: 'path', required: true, description, schema };
  });
}

function queryParameters(query: z.ZodType | undefined, schemas: ApiSchemas): readonly ApiParameter[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, type]) => {
    const { description, ...schema } = z
      .looseObject({ description: z.string().optional() })
      .parse(schemas.write(type, 'input'));
    return { name, in: 'query', required: !type.safeParse(undefined).success, description, schema };
  });
}

function headersOf(route: RouteDescription): readonly RequestHeader[] {
  const access = accessOf(route);
  const needsToken = route.method !== 'get' && !isOpen(access) && access !== 'api_key';
  return [...(route.headers ?? []), ...(needsToken ? (['X-CSRF-Token'] as const) : [])];
}

function headerParameter(name: RequestHeader): ApiParameter {
  return { name, in: 'header', required: false, ...REQUEST_HEADERS[name] };
}
