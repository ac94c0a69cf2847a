// The models of the service by name; the first one is the default.
import { invalid } from '../errors.ts';
import type { Model, ModelInfo } from './model.ts';

export interface ModelCatalog {
  readonly default: Model;
  list(): readonly ModelInfo[];
  /** Returns the model of that name, the default one without a name, or `undefined` for an unknown name. */
  get(name?: string): Model | undefined;
}

/** Throws when there are no models: a service without one cannot reply to anyone. */
export function createModelCatalog(models: readonly Model[]): ModelCatalog {
  const [first] = models;
  if (first === undefined) throw new Error('The model catalogue needs at least one model.');
  const byName = new Map(models.map((model) => [model.info.name, model]));
  const infos = models.map((model) => model.info);
  return {
    default: first,
    list: () => infos,
    get: (name) => (name === undefined ? first : byName.get(name)),
  };
}

/** Returns the model named by an option. Throws `invalid` with a sentence for the operator if unknown. */
export function namedModel(
  catalog: ModelCatalog,
  option: string,
  name: string | undefined,
): Model | undefined {
  if (name === undefined) return undefined;
  const model = catalog.get(name);
  if (model === undefined) throw invalid(`agent.${option}: there is no model named '${name}'.`);
  return model;
}
