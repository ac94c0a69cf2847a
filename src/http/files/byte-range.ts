// The one range of bytes that a request asks for (RFC 9110, section 14).

/** Both ends are part of it. `whole`: no range was asked for. */
export type AskedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly first: number; readonly last: number }
  | { readonly kind: 'unsatisfiable' };

const WHOLE = { kind: 'whole' } as const;
const UNSATISFIABLE = { kind: 'unsatisfiable' } as const;
const BYTES = /^bytes\s*=(.*)$/i;
const ONE = /^\s*(\d*)-(\d*)\s*$/;

/**
 * One range at most: of several the whole file is the answer, as RFC 9110 allows it, and one that is none is
 * `unsatisfiable`. Units that are not bytes are not looked at.
 */
export function askedRange(header: string | undefined, size: number): AskedRange {
  const set = header === undefined ? null : BYTES.exec(header);
  if (set === null || isSeveral(set[1] ?? '')) return WHOLE;
  const [, from = '', to = ''] = ONE.exec(set[1] ?? '') ?? [];
  if (from === '' && to === '') return UNSATISFIABLE;
  if (from === '') return part(Math.max(0, size - Number(to)), size - 1, size);
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return part(Number(from), last, size);
}

function isSeveral(ranges: string): boolean {
  const list = ranges.split(',');
  return list.length > 1 && list.every((range) => ONE.test(range) && range.trim() !== '-');
}

function part(first: number, last: number, size: number): AskedRange {
  return first > last || first >= size ? UNSATISFIABLE : { kind: 'part', first, last };
}
