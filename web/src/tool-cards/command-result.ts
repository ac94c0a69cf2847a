// What the result of a command says: its output, how it ended, and where the rest of it is.
import type { OutputPiece } from './command-output.ts';

export interface CommandResult {
  readonly pieces: readonly OutputPiece[];
  /** In a few words; undefined when it went well. */
  readonly ending: string | undefined;
  /** The file with the whole output, when the result has a part of it only. */
  readonly wholeOutput: string | undefined;
}

const ENDING = /(?:^|\n)(?:Exit Code: (?<code>[^\n]*)|Error: (?<error>[^\n]*))$/;
const KEPT = /(?:^|\n)\(The output is long; all that was kept of it is in (\/\S+?)\. [^\n]*\)$/;
const COMPLAINTS = /(?:^|\n)Std Error:\n/;

export function readCommandResult(text: string): CommandResult {
  const ended = ENDING.exec(text);
  const said = ended === null ? text : text.slice(0, ended.index);
  const kept = KEPT.exec(said);
  const output = kept === null ? said : said.slice(0, kept.index);
  return { pieces: piecesOf(output), ending: endingOf(ended), wholeOutput: kept?.[1] };
}

function endingOf(ended: RegExpExecArray | null): string | undefined {
  const { code, error } = ended?.groups ?? {};
  if (code !== undefined) return /^-?\d+$/.test(code) ? `Exit code ${code}` : code;
  return error;
}

function piecesOf(output: string): readonly OutputPiece[] {
  if (output === '' || output === '(no output)') return [];
  const complaints = COMPLAINTS.exec(output);
  if (complaints === null) return [{ stream: 'stdout', text: output }];
  const stdout = output.slice(0, complaints.index);
  const stderr = output.slice(complaints.index + complaints[0].length);
  const pieces: OutputPiece[] = [];
  if (stdout !== '') pieces.push({ stream: 'stdout', text: `${stdout}\n` });
  return [...pieces, { stream: 'stderr', text: stderr }];
}
