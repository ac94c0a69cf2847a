// The letters that begin and end a formula in Markdown, and the names of its tokens.
import type { Code } from 'micromark-util-types';

declare module 'micromark-util-types' {
  /** The names that `mdast-util-math` reads. */
  interface TokenTypeMap {
    mathFlow: 'mathFlow';
    mathFlowFence: 'mathFlowFence';
    mathFlowFenceSequence: 'mathFlowFenceSequence';
    mathFlowValue: 'mathFlowValue';
    mathText: 'mathText';
    mathTextData: 'mathTextData';
    mathTextSequence: 'mathTextSequence';
  }
}

export const DOLLAR = 36;
export const OPEN_ROUND = 40;
export const OPEN_SQUARE = 91;
export const BACKSLASH = 92;
const CLOSE_ROUND = 41;
const CLOSE_SQUARE = 93;

export type Opener = '$' | '$$' | '\\(' | '\\[';

interface Delimiters {
  readonly open: readonly number[];
  readonly close: readonly number[];
}

export const DELIMITERS: Readonly<Record<Opener, Delimiters>> = {
  $: { open: [DOLLAR], close: [DOLLAR] },
  $$: { open: [DOLLAR, DOLLAR], close: [DOLLAR, DOLLAR] },
  '\\(': { open: [BACKSLASH, OPEN_ROUND], close: [BACKSLASH, CLOSE_ROUND] },
  '\\[': { open: [BACKSLASH, OPEN_SQUARE], close: [BACKSLASH, CLOSE_SQUARE] },
};

/** Whether the code is a line ending, in any form that micromark has for it. */
export function isLineEnding(code: Code): boolean {
  return code !== null && code < -2;
}

/** Whether the code is a space, a tab or a line ending. */
export function isSpaceCode(code: Code): boolean {
  return code !== null && (code < 0 || code === 32);
}

/** Whether the code is a letter or a digit. */
export function isWordCode(code: Code): boolean {
  return code !== null && code > 0 && /[\p{L}\p{N}]/u.test(String.fromCharCode(code));
}
