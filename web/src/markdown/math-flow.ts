// Formulas in separate lines, as tokens: `$$…$$` and `\[…\]`.
import type { Code, Construct, State } from 'micromark-util-types';
import { BACKSLASH, DELIMITERS, DOLLAR, isLineEnding, isSpaceCode } from './math-codes.ts';

/** Tokenizes a formula that begins with a line and ends with one. Without an end, the text stays as it is. */
export function mathFlow(opener: '$$' | '\\['): Construct {
  const { open, close } = DELIMITERS[opener];
  const atOpener = expectLetters(open);
  const atCloser = expectLetters(close);
  return {
    name: `mathFlow${opener}`,
    // No line of a formula is a list or a quotation.
    concrete: true,
    tokenize(effects, ok, nok) {
      const { interrupt, parser, now } = this;
      let at = 0;
      let isInValue = false;
      let isFirstLineBlank = true;
      return (code) => {
        effects.enter('mathFlow');
        enterFence();
        return opening(code);
      };

      function opening(code: Code): State | undefined {
        if (code !== open[at]) return nok(code);
        effects.consume(code);
        at += 1;
        if (at < open.length) return opening;
        exitFence();
        return first;
      }

      /** Other texts also escape brackets. */
      function first(code: Code): State | undefined {
        if (opener === '$$') return code === DOLLAR ? nok(code) : content(code);
        return code === BACKSLASH || isSpaceCode(code) || isLineEnding(code) ? content(code) : nok(code);
      }

      function content(code: Code): State | undefined {
        if (code === null) return nok(code);
        if (isLineEnding(code)) return lineEnd(code);
        if (code === close[0]) return effects.check(atCloser, closing, notCloser)(code);
        return value(code);
      }

      /** A formula cannot contain an opener, so a text of many openers is read once. */
      function notCloser(code: Code): State | undefined {
        return effects.check(atOpener, nok, value)(code);
      }

      function value(code: Code): State | undefined {
        if (!isInValue) effects.enter('mathFlowValue');
        isInValue = true;
        isFirstLineBlank = isFirstLineBlank && isSpaceCode(code);
        effects.consume(code);
        return code === BACKSLASH ? escaped : content;
      }

      function escaped(code: Code): State | undefined {
        if (code === null || isLineEnding(code)) return content(code);
        effects.consume(code);
        return content;
      }

      function lineEnd(code: Code): State | undefined {
        if (interrupt === true) return isFirstLineBlank ? ok(code) : nok(code);
        exitValue();
        effects.enter('lineEnding');
        effects.consume(code);
        effects.exit('lineEnding');
        return (next) => (parser.lazy[now().line] === true ? nok(next) : content(next));
      }

      function closing(code: Code): State | undefined {
        exitValue();
        enterFence();
        at = 0;
        return closer(code);
      }

      function closer(code: Code): State | undefined {
        effects.consume(code);
        at += 1;
        if (at < close.length) return closer;
        exitFence();
        return behind;
      }

      function behind(code: Code): State | undefined {
        if (code === null || isLineEnding(code)) {
          effects.exit('mathFlow');
          return ok(code);
        }
        if (!isSpaceCode(code)) return nok(code);
        effects.enter('whitespace');
        effects.consume(code);
        effects.exit('whitespace');
        return behind;
      }

      function enterFence(): void {
        effects.enter('mathFlowFence');
        effects.enter('mathFlowFenceSequence');
      }

      function exitFence(): void {
        effects.exit('mathFlowFenceSequence');
        effects.exit('mathFlowFence');
      }

      function exitValue(): void {
        if (isInValue) effects.exit('mathFlowValue');
        isInValue = false;
      }
    },
  };
}

/** Checks whether these letters are next. */
function expectLetters(codes: readonly number[]): Construct {
  return {
    partial: true,
    tokenize(effects, ok, nok) {
      let at = 0;
      const letter = (code: Code): State | undefined => {
        if (code !== codes[at]) return nok(code);
        effects.consume(code);
        at += 1;
        return at < codes.length ? letter : ok;
      };
      return (code) => {
        effects.enter('mathFlowFenceSequence');
        return letter(code);
      };
    },
  };
}
