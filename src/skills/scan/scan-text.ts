// Looks through one text, a line at a time.
import type { Breath } from '../../breath.ts';
import type { Finding } from './finding.ts';
import { SCAN_RULES, type ScanRule } from './scan-rules.ts';

/** What is longer is looked at in pieces, so that no piece takes long. */
const MAX_PIECE = 4_096;
const OVERLAP = 512;

/** One finding at most for each kind of thing. Others get their turn in between. */
export async function scanText(file: string, text: string, breath: Breath): Promise<readonly Finding[]> {
  const found = new Map<ScanRule, number>();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const wait = breath();
    if (wait !== undefined) await wait;
    // What is broken in two lines is one command, or one sentence.
    const next = lines[index + 1] ?? '';
    const pair = `${line.replace(/\\?\r?$/, '')} ${next}`;
    if (pair.length > MAX_PIECE) {
      for (const piece of piecesOf(pair)) {
        await breath();
        note(found, index + 1, (rule) => matches(rule, piece));
      }
    } else {
      // In the next line alone: that one is looked at next.
      note(found, index + 1, (rule) => matches(rule, pair) && !matches(rule, next));
    }
  }
  const findings = [...found].map(([rule, line]) => toFinding(rule, file, line));
  return [...new Map(findings.map((finding) => [`${finding.rule} ${finding.message}`, finding])).values()];
}

function note(found: Map<ScanRule, number>, line: number, isIn: (rule: ScanRule) => boolean): void {
  for (const rule of SCAN_RULES) if (!found.has(rule) && isIn(rule)) found.set(rule, line);
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
