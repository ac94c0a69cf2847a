// The models of the service by name; the first one is the default.
import { invalid } from '../errors.ts';
import type { Model, ModelInfo } from './model.ts';

export interface ModelCatalog {
  readonly default: Model;
  list(): readonly ModelInfo[];
  /** The model of that name; the default one without a name; `undefined` for an unknown name. */
  get(name?: string): Model | undefined;
}

/** Throws when there is no model at all: a service without one cannot answer anybody. */
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

/** The model that an option of the agent names. Throws `invalid` with a sentence for the operator when there is none. */
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
