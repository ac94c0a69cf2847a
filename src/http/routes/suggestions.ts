// Suggested next messages for the person.
import { z } from 'zod';
import type { Suggestions } from '../../runs/suggestions.ts';
import { ok, type RouteTable } from '../api/route-table.ts';

const MAX_SUGGESTIONS = 5;
const DEFAULT_SUGGESTIONS = 3;

const suggestionsBody = z
  .object({
    messages: z
      .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(100_000) }))
      .max(100)
      .nullish()
      .describe('The conversation; absent: the messages of the thread'),
    n: z
      .int()
      .min(1)
      .max(MAX_SUGGESTIONS)
      .nullish()
      .meta({ description: 'Suggestions, at most', default: DEFAULT_SUGGESTIONS }),
    model_name: z
      .string()
      .min(1)
      .max(128)
      .nullish()
      .describe('The model that writes them; absent: the configured one, or the model of the last run'),
  })
  .meta({ id: 'SuggestionsRequest', examples: [{ n: 3 }] });

const suggestionsSchema = z
  .object({ suggestions: z.array(z.string()) })
  .meta({ id: 'Suggestions', examples: [{ suggestions: ['Which of them keep longest?'] }] });

const configSchema = z
  .object({ enabled: z.boolean(), max_suggestions: z.int() })
  .meta({ id: 'SuggestionsConfig' });

export function suggestionRoutes(
  routes: RouteTable,
  { suggestions }: { readonly suggestions: Suggestions },
): void {
  routes.get('/api/suggestions/config', {
    operationId: 'getSuggestionsConfig',
    summary: 'Whether suggestions are enabled, and the most per request',
    responses: ok('The configuration', configSchema),
    handle: (c) => c.json({ enabled: suggestions.isEnabled, max_suggestions: MAX_SUGGESTIONS }),
  });
  routes.post('/api/threads/{thread_id}/suggestions', {
    operationId: 'suggest',
    summary: 'Messages that you may want to send next; none while a run is active or when the model fails',
    thread: 'write',
    body: { kind: 'json', schema: suggestionsBody, optional: true },
    responses: ok('The suggestions', suggestionsSchema),
    handle: async (c, { body }) => {
      const { messages, n, model_name } = body;
      const written = await suggestions.suggest(c.var.repositories, c.var.thread, {
        userId: c.var.user.id,
        count: n ?? DEFAULT_SUGGESTIONS,
        messages: messages ?? undefined,
        modelName: model_name ?? undefined,
        signal: c.req.raw.signal,
      });
      return c.json({ suggestions: [...written] });
    },
  });
}
