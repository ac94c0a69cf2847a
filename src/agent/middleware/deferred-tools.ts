// Tools that a model is shown only when it has found them: all the others are names in the prompt.
import { z } from 'zod';
import type { JsonObject } from '../../messages/message.ts';
import { FOUND_TOOLS } from '../../tools/tool-search.ts';
import type { Middleware } from '../middleware.ts';

const names = z.array(z.string());

/** `deferred` are their names. What was found stays shown for the rest of the thread, in the place where it always is. */
export function createDeferredToolsMiddleware(deferred: ReadonlySet<string>): Middleware {
  return {
    name: 'deferred_tools',
    shapeRequest(request, { values }) {
      const found = foundTools(values);
      return {
        ...request,
        tools: request.tools.filter(({ name }) => !deferred.has(name) || found.has(name)),
      };
    },
  };
}

function foundTools(values: JsonObject): ReadonlySet<string> {
  const parsed = names.safeParse(values[FOUND_TOOLS]);
  return new Set(parsed.success ? parsed.data : []);
}
