// Names the device of a session for the list of sessions: browser and system, or the program.

/** Maximum number of characters read. No browser sends a longer header. */
const MOST_READ = 512;

/** The first match counts: a browser names itself before the browsers that it imitates. */
const BROWSERS: readonly (readonly [sign: string, name: string])[] = [
  ['Edg/', 'Edge'],
  ['EdgA/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['HeadlessChrome/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
];
const SYSTEMS: readonly (readonly [sign: string, name: string])[] = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
];
const PROGRAM = /^[A-Za-z0-9._-]{1,40}/;

/**
 * Returns a name such as `Firefox on Linux` or `curl`. The client controls the header, so the result has only
 * known words or a plain program name.
 */
export function deviceName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, MOST_READ);
  const named = (names: typeof BROWSERS) => names.find(([sign]) => text.includes(sign))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return PROGRAM.exec(text)?.[0] ?? 'Unknown device';
}
