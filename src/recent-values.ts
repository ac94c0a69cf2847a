// A cache of values recently made from the same parts, so that concurrent holders share one object.

/** Maximum number of cached values. */
const MOST = 32;

type Part = string | number | object | undefined;

interface Entry<Value> {
  readonly parts: readonly Part[];
  readonly value: Value;
}

/**
 * Compares parts directly, which is quick for the same object or a different length. A `Map` would hash each
 * text.
 */
export class RecentValues<Value> {
  /** The most recently requested entry comes first. */
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
