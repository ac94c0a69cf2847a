// Formulas in running text, as tokens: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`.
import type { Code, Construct, State, Token } from 'micromark-util-types';
import {
  BACKSLASH,
  DELIMITERS,
  DOLLAR,
  isLineEnding,
  isSpaceCode,
  isWordCode,
  OPEN_ROUND,
  OPEN_SQUARE,
  type Opener,
} from './math-codes.ts';

/**
 * In other texts, escaped brackets are plain ones: a note, the number of a source, a box to tick. A space
 * after the bracket, a command, a relation, an index or a sum indicates a formula.
 */
const LOOKS_LIKE_FORMULA = /^\s|\\[a-z]|[=^<>]|(?<!\p{L})\p{L}_| \+ /iu;
/** In round brackets, a single letter is a formula, and several words are not. */
const WORDS = /^\p{L}{2,}(?: \p{L}{2,})+$/u;

/** Tokenizes a formula in running text. A text that opens one and does not close it stays as it is. */
export function mathText(opener: Opener): Construct {
  const { open, close } = DELIMITERS[opener];
  const isDollar = opener === '$';
  return {
    name: `mathText${opener}`,
    previous(code) {
      // Excludes amounts of money such as US$5.
      return isDollar ? code !== DOLLAR && !isWordCode(code) : opener !== '$$' || code !== DOLLAR;
    },
    tokenize(effects, ok, nok) {
      const { sliceSerialize } = this;
      let at = 0;
      let before: Code = null;
      let opened: Token;
      let closing: Token;
      const afterMark = isDollar ? afterOne : afterTwo;
      return (code) => {
        effects.enter('mathText');
        opened = effects.enter('mathTextSequence');
        return opening(code);
      };

      function opening(code: Code): State | undefined {
        if (code !== open[at]) return nok(code);
        effects.consume(code);
        at += 1;
        if (at < open.length) return opening;
        effects.exit('mathTextSequence');
        return first;
      }

      function first(code: Code): State | undefined {
        const isEmpty = code === null || (opener.startsWith('$') && code === DOLLAR);
        return isEmpty || (isDollar && isSpaceCode(code)) ? nok(code) : between(code);
      }

      function between(code: Code): State | undefined {
        if (code === null || isLineEnding(code)) return lineEnding(code);
        if (code === DOLLAR || code === BACKSLASH) return mark(code);
        effects.enter('mathTextData');
        return data(code);
      }

      function lineEnding(code: Code): State | undefined {
        if (code === null || isDollar) return nok(code);
        effects.enter('lineEnding');
        effects.consume(code);
        effects.exit('lineEnding');
        return between;
      }

      function mark(code: Code): State {
        closing = effects.enter('mathTextSequence');
        effects.consume(code);
        return code === BACKSLASH ? afterBackslash : afterMark;
      }

      function data(code: Code): State | undefined {
        if (code === null || isLineEnding(code) || code === DOLLAR || code === BACKSLASH) {
          effects.exit('mathTextData');
          return between(code);
        }
        effects.consume(code);
        before = code;
        return data;
      }

      function afterBackslash(code: Code): State | undefined {
        if (close[0] === BACKSLASH && code === close[1]) {
          if (!isMeant()) return nok(code);
          effects.consume(code);
          return end;
        }
        // A formula cannot contain an opener, so a text of many openers is read once.
        if (code === OPEN_ROUND || code === OPEN_SQUARE) return nok(code);
        return goOnAs(code);
      }

      function isMeant(): boolean {
        const value = sliceSerialize({ start: opened.end, end: closing.start });
        return opener === '\\[' ? LOOKS_LIKE_FORMULA.test(value) : !WORDS.test(value);
      }

      function afterOne(code: Code): State | undefined {
        const isAmount = isSpaceCode(before) || isWordCode(code);
        return isAmount || code === DOLLAR ? nok(code) : end(code);
      }

      function afterTwo(code: Code): State | undefined {
        if (opener !== '$$') return goOnAs(code);
        if (code !== DOLLAR) return nok(code);
        effects.consume(code);
        return end;
      }

      /** Continues with the possible end and the letter after it as part of the formula. */
      function goOnAs(code: Code): State | undefined {
        closing.type = 'mathTextData';
        if (code === null || isLineEnding(code)) return data(code);
        effects.consume(code);
        before = code;
        return data;
      }

      function end(code: Code): State | undefined {
        effects.exit('mathTextSequence');
        effects.exit('mathText');
        return ok(code);
      }
    },
  };
}
