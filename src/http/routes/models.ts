// The models that a run may request (docs/contract/models.md#routes).
import { z } from 'zod';
import { notFound } from '../../errors.ts';
import type { ModelInfo } from '../../models/model.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { presenterOf } from '../presenters/presenter-of.ts';
import { modelNameField } from '../presenters/wire-fields.ts';

const modelSchema = z.object({
  name: modelNameField,
  display_name: z.string(),
  description: z.string().nullable(),
  supports_thinking: z.boolean(),
  supports_vision: z.boolean(),
});
const modelDetailSchema = modelSchema.extend({
  model: z.string(),
  max_tokens: z.int().nullable().describe('As configured; null: the provider decides'),
});

export function modelRoutes(
  routes: RouteTable,
  { models }: { readonly models: { list(): readonly ModelInfo[] } },
): void {
  routes.get('/api/models', {
    operationId: 'listModels',
    summary: 'The models; the first one is the default',
    responses: ok('The models', z.object({ models: z.array(modelSchema) })),
    handle: (c) => c.json({ models: models.list().map(presentModel) }),
  });
  routes.get('/api/models/{model_name}', {
    operationId: 'getModel',
    errors: ['not_found'],
    summary: 'One model',
    responses: ok('The model', modelDetailSchema),
    handle: (c) => {
      const info = models.list().find(({ name }) => name === c.req.param('model_name'));
      if (info === undefined) throw notFound('Model');
      return c.json({ ...presentModel(info), model: info.model, max_tokens: info.outputLimit ?? null });
    },
  });
}

const present = presenterOf(modelSchema);

function presentModel(info: ModelInfo): z.output<typeof modelSchema> {
  return present({ ...info, description: info.description ?? null });
}
