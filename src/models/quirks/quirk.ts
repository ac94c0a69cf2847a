// A quirk: something that a provider, or what serves its models, wants otherwise, as one transform.
import type { Provider } from '../provider-options.ts';

export interface Quirk<Value, Context> {
  /** Of its fixture, too. */
  readonly name: string;
  readonly providers: readonly Provider[];
  /** Pure. Answers the value itself where nothing is to be done. */
  apply(value: Value, context: Context): Value;
}

export type Transform<Value, Context> = (value: Value, context: Context) => Value;

/** Those for the provider as one transform, in their order. */
export function applied<Value, Context>(
  quirks: readonly Quirk<Value, Context>[],
  provider: Provider,
): Transform<Value, Context> {
  const own = quirks.filter(({ providers }) => providers.includes(provider));
  return (value, context) => {
    let transformed = value;
    for (const quirk of own) transformed = quirk.apply(transformed, context);
    return transformed;
  };
}
