// Whether one list continues another.

/** True when `longer` begins with the very items of `shorter`, or with the first `count` of them. */
export function isBeginning<T>(shorter: readonly T[], longer: readonly T[], count = shorter.length): boolean {
  if (count > longer.length) return false;
  for (let index = count - 1; index >= 0; index--) if (shorter[index] !== longer[index]) return false;
  return true;
}
