// Whether a list goes on from another one.

/** Whether the longer list begins with the very items of the shorter one. */
export function isBeginning<T>(shorter: readonly T[], longer: readonly T[]): boolean {
  if (shorter.length > longer.length) return false;
  for (let index = shorter.length - 1; index >= 0; index--)
    if (shorter[index] !== longer[index]) return false;
  return true;
}
