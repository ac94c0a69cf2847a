// Names for statements that recur: Postgres parses and plans a named one once for each connection, not each time.
import { createHash } from 'node:crypto';

/** In a statement whose best way depends on its values, such as how many texts have a word: it is planned each time. */
export const PLANNED_EACH_TIME = '/* planned for its values */';

/** Whoever recurs so often is worth a name. */
const SIGHTS = 3;
/** Each connection keeps a plan for each name. */
const MOST_NAMES = 200;
/** So many texts without a name are counted. */
const MOST_COUNTED = 1_000;

export interface StatementNames {
  /** `undefined`: it stays without a name, for now at least. */
  nameOf(text: string): string | undefined;
  /** No name that was given so far is used again: what they stood for on some connection does not hold any more. */
  renew(): void;
}

/**
 * Names are the same on all connections, and those of two statements never are, of whichever process: where a pooler hands
 * a connection from one to another, a name that meant something else there would run the wrong statement.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const sights = new Map<string, number>();
  let generation = 0;
  return {
    nameOf(text) {
      const known = names.get(text);
      if (known !== undefined) return `${generation}_${known}`;
      if (names.size >= MOST_NAMES || text.includes(PLANNED_EACH_TIME)) return undefined;
      const seen = (sights.get(text) ?? 0) + 1;
      sights.delete(text);
      if (seen < SIGHTS) {
        if (sights.size >= MOST_COUNTED) sights.clear();
        sights.set(text, seen);
        return undefined;
      }
      const name = createHash('sha256').update(text).digest('base64url');
      names.set(text, name);
      return `${generation}_${name}`;
    },
    renew() {
      generation += 1;
    },
  };
}
