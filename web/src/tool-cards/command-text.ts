// The parts of a command's result: its output as plain text, how it ended, and where the full output is.
import type { OutputPiece } from '../conversation/command-output.ts';

export interface CommandResult {
  readonly pieces: readonly OutputPiece[];
  /** How the command failed, in a few words. Undefined on success. */
  readonly ending: string | undefined;
  /** The file with the full output. Set when the result has only a part of it. */
  readonly wholeOutput: string | undefined;
}

const ENDING = /(?:^|\n)(?:Exit Code: (?<code>[^\n]*)|Error: (?<error>[^\n]*))$/;
const KEPT = /(?:^|\n)\(The output is long; all that was kept of it is in (\/\S+?)\. [^\n]*\)$/;
const COMPLAINTS = /(?:^|\n)Std Error:\n/;

export function readCommandResult(text: string): CommandResult {
  const ended = ENDING.exec(text);
  const body = ended === null ? text : text.slice(0, ended.index);
  const kept = KEPT.exec(body);
  const output = kept === null ? body : body.slice(0, kept.index);
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

/** Colours, cursor movements and window titles. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Removes control sequences, and text that a later part of its line has overwritten. */
export function plainOutput(text: string): string {
  const shown = text.replace(ESCAPES, '').replaceAll('\r\n', '\n');
  if (!shown.includes('\r')) return shown;
  return shown
    .split('\n')
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '')
    .join('\n');
}
