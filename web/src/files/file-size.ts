// The size of a file, and the number of files, in words.

const whole = new Intl.NumberFormat();
const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** Of bytes: `812 B`, `1.4 MB`, `37 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  let rest = bytes / 1_024;
  let unit = 0;
  while (rest >= 999.5 && unit < UNITS.length - 1) {
    rest /= 1_024;
    unit += 1;
  }
  return `${rest < 9.95 ? rest.toFixed(1) : Math.round(rest)} ${UNITS[unit]}`;
}

export function countText(files: number): string {
  return whole.format(files);
}
