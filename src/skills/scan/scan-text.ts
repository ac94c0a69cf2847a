// Scans one text, a window of lines at a time.
import type { Breath } from '../../breath.ts';
import type { Finding } from './finding.ts';
import { SCAN_RULES, type ScanRule } from './scan-rules.ts';

/** Longer texts are scanned in pieces, so that no piece takes long. */
const MAX_PIECE = 4_096;
const OVERLAP = 512;
/** In characters. With the line before it, most windows fit in one piece. */
const WINDOW = 2_048;

/** Reports each kind of finding at most once. Yields to other work in between. */
export async function scanText(file: string, text: string, breath: Breath): Promise<readonly Finding[]> {
  const found = new Map<ScanRule, number>();
  for (const lines of windowsOf(text)) {
    await breath();
    const open = SCAN_RULES.filter((rule) => !found.has(rule));
    const joined = lines.map((line) => line.text).join(' ');
    // If two lines of the window match, so does the whole window. Most windows match nothing.
    const rules = joined.length > MAX_PIECE ? open : open.filter((rule) => matches(rule, joined));
    if (rules.length > 0) await scanLines(lines, { rules, found, breath });
  }
  const kinds = new Map<string, Finding>();
  // A warning can share rule and message with a critical finding, and must not replace it.
  for (const [{ rule, severity, message }, line] of found)
    kinds.set(`${severity} ${rule} ${message}`, { rule, severity, file, line, message });
  return [...kinds.values()];
}

interface Line {
  /** From 1. */
  readonly number: number;
  /** Without the line break and a backslash that continues the line. */
  readonly text: string;
}

/**
 * Yields nonblank lines. Each window repeats the last line of the one before; an empty line ends the last.
 */
function* windowsOf(text: string): Generator<readonly Line[]> {
  let lines: Line[] = [];
  let number = 0;
  let windowFrom = 0;
  for (let from = 0; from <= text.length; ) {
    const feed = text.indexOf('\n', from);
    const end = feed === -1 ? text.length : feed;
    number += 1;
    const line = lineOf(text.slice(from, end));
    if (line.trim() !== '') lines.push({ number, text: line });
    from = end + 1;
    if (from - windowFrom < WINDOW) continue;
    yield lines;
    lines = lines.slice(-1);
    windowFrom = from;
  }
  yield [...lines, { number, text: '' }];
}

function lineOf(text: string): string {
  const line = text.endsWith('\r') ? text.slice(0, -1) : text;
  return line.endsWith('\\') ? line.slice(0, -1) : line;
}

interface Scan {
  readonly rules: readonly ScanRule[];
  /** The line number for each rule. */
  readonly found: Map<ScanRule, number>;
  readonly breath: Breath;
}

async function scanLines(lines: readonly Line[], scan: Scan): Promise<void> {
  for (const [index, next] of lines.entries()) {
    const line = lines[index - 1];
    if (line === undefined) continue;
    const wait = scan.breath();
    if (wait !== undefined) await wait;
    // A line break may divide one command or one sentence.
    const pair = `${line.text} ${next.text}`;
    if (pair.length > MAX_PIECE) {
      for (const piece of piecesOf(pair)) {
        await scan.breath();
        note(scan, line.number, (rule) => matches(rule, piece));
      }
    } else {
      // A match in the next line alone is found with the next pair.
      note(scan, line.number, (rule) => matches(rule, pair) && !matches(rule, next.text));
    }
  }
}

function note({ rules, found }: Scan, line: number, isIn: (rule: ScanRule) => boolean): void {
  for (const rule of rules) if (!found.has(rule) && isIn(rule)) found.set(rule, line);
}

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += MAX_PIECE - OVERLAP)
    yield text.slice(from, from + MAX_PIECE);
}

function matches({ steps }: ScanRule, text: string): boolean {
  let rest = text;
  for (const step of steps) {
    const match = step.exec(rest);
    if (match === null) return false;
    rest = rest.slice(match.index + match[0].length);
  }
  return true;
}
