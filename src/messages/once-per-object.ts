// A function whose results are cached for as long as the objects live of which they were made.

/** Returns `make`, called once for each object. A result of `undefined` is not cached. */
export function oncePerObject<Source extends object, Made>(make: (source: Source) => Made) {
  const cache = new WeakMap<Source, Made>();
  return (source: Source): Made => {
    const known = cache.get(source);
    if (known !== undefined) return known;
    const made = make(source);
    if (made !== undefined) cache.set(source, made);
    return made;
  };
}
