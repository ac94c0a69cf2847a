// Values that were made lately of the same parts, so that whoever waits with one holds the same as the others.

/** How many are kept. */
const MOST = 32;

type Part = string | number | object | undefined;

interface Entry<Value> {
  readonly parts: readonly Part[];
  readonly value: Value;
}

/**
 * Keyed by a list of parts. Texts of many kilobytes are compared, which takes next to no time for the same text and for
 * one of another length; a `Map` would read each to its end for its hash.
 */
export class RecentValues<Value> {
  /** The one that was asked for last comes first. */
  readonly #entries: Entry<Value>[] = [];

  get(parts: readonly Part[], make: () => Value): Value {
    const index = this.#entries.findIndex((entry) => isSame(entry.parts, parts));
    const [known] = index === -1 ? [] : this.#entries.splice(index, 1);
    const entry = known ?? { parts, value: make() };
    this.#entries.unshift(entry);
    if (this.#entries.length > MOST) this.#entries.pop();
    return entry.value;
  }
}

function isSame(one: readonly Part[], other: readonly Part[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}
