// Whether a list goes on from another one.

/** Whether the longer list begins with the very items of the shorter one, or with the first `count` of them. */
export function isBeginning<T>(shorter: readonly T[], longer: readonly T[], count = shorter.length): boolean {
  if (count > longer.length) return false;
  for (let index = count - 1; index >= 0; index--) if (shorter[index] !== longer[index]) return false;
  return true;
}
