// What a session's list calls the device it was opened on: the browser and the system, or the program.

/** Longer texts are no browser's. */
const MOST_READ = 512;

/** The first one that occurs: browsers name those before whom they want to be taken for. */
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

/** Such as `Firefox on Linux` or `curl`; a header is the client's word, so only known words and a plain name come out. */
export function deviceName(userAgent: string | undefined): string {
  const text = (userAgent ?? '').slice(0, MOST_READ);
  const named = (names: typeof BROWSERS) => names.find(([sign]) => text.includes(sign))?.[1];
  const [browser, system] = [named(BROWSERS), named(SYSTEMS)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return PROGRAM.exec(text)?.[0] ?? 'Unknown device';
}
