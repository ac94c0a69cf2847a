// Looks through one text, a window of lines at a time.
import type { Breath } from '../../breath.ts';
import type { Finding } from './finding.ts';
import { SCAN_RULES, type ScanRule } from './scan-rules.ts';

/** Longer texts are checked in pieces, so that no piece takes long. */
const MAX_PIECE = 4_096;
const OVERLAP = 512;
/** Of the text, in characters: with the line before it, most windows are no longer than a piece. */
const WINDOW = 2_048;

/** One finding at most for each kind of thing. Others get their turn in between. */
export async function scanText(file: string, text: string, breath: Breath): Promise<readonly Finding[]> {
  const found = new Map<ScanRule, number>();
  for (const lines of windowsOf(text)) {
    await breath();
    const open = SCAN_RULES.filter((rule) => !found.has(rule));
    const joined = lines.map((line) => line.text).join(' ');
    // What two of its lines have, the whole window has: most windows have nothing.
    const rules = joined.length > MAX_PIECE ? open : open.filter((rule) => matches(rule, joined));
    if (rules.length > 0) await scanLines(lines, { rules, found, breath });
  }
  const findings = [...found].map(([rule, line]) => toFinding(rule, file, line));
  return [...new Map(findings.map((finding) => [`${finding.rule} ${finding.message}`, finding])).values()];
}

interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its end, and without what continues it in the next line. */
  readonly text: string;
}

/** Lines that are not blank. The last of a window is the first of the next one; behind the last of all is an empty one. */
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
  /** By rule, the number of the line. */
  readonly found: Map<ScanRule, number>;
  readonly breath: Breath;
}

async function scanLines(lines: readonly Line[], scan: Scan): Promise<void> {
  for (const [index, next] of lines.entries()) {
    const line = lines[index - 1];
    if (line === undefined) continue;
    const wait = scan.breath();
    if (wait !== undefined) await wait;
    // What is broken in two lines is one command, or one sentence.
    const pair = `${line.text} ${next.text}`;
    if (pair.length > MAX_PIECE) {
      for (const piece of piecesOf(pair)) {
        await scan.breath();
        note(scan, line.number, (rule) => matches(rule, piece));
      }
    } else {
      // In the next line alone: that one is looked at next.
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

function toFinding({ rule, severity, message }: ScanRule, file: string, line: number): Finding {
  return { rule, severity, file, line, message };
}
