// Asks the search index for tokens, in the words of the database.
import type { WantedToken } from '../../../messages/search/search-tokens.ts';
import type { Database } from '../database/database.ts';

/**
 * All tokens must be there, and one of `anyOf` if there are such. Tokens hold letters, digits, marks and `_` only; they
 * stand in quotes, so none is an operator.
 */
export function indexQuery(
  { name }: Pick<Database, 'name'>,
  tokens: readonly WantedToken[],
  anyOf: readonly string[] = [],
): string {
  const { and, or, term } = name === 'sqlite' ? SQLITE : POSTGRES;
  const choice = anyOf.map((token) => term({ token, prefix: false })).join(or);
  return [...(choice === '' ? [] : [`(${choice})`]), ...tokens.map(term)].join(and);
}

const SQLITE = {
  and: ' AND ',
  or: ' OR ',
  term: ({ token, prefix }: WantedToken) => `"${token}"${prefix ? '*' : ''}`,
};

const POSTGRES = {
  and: ' & ',
  or: ' | ',
  term: ({ token, prefix }: WantedToken) => `'${token}'${prefix ? ':*' : ''}`,
};
