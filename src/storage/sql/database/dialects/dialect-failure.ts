// What a database error means to the caller, in words that both dialects share.

/** `retry`: the same call may work in a moment. `refused`: it will not, for a reason a person must remove. */
export type DialectFailure =
  | { readonly kind: 'retry'; readonly detail: string }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'defect' };

export const DEFECT: DialectFailure = Object.freeze({ kind: 'defect' });
