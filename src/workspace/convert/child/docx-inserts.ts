// Formulas and charts, which the reader of Word documents omits. Puts them in as runs of their own style.
import { chartText } from './chart-text.ts';
import type { OfficeParts } from './office-parts.ts';
import { nodesBelow, parsedSection, relationsOf } from './office-xml.ts';
import { latexFormula } from './omml-latex.ts';

export interface Insert {
  /** Markdown within a line of text. */
  readonly inline: string;
  /** Markdown on lines of its own. Absent: only within a line. */
  readonly block?: string;
}

export interface WithInserts {
  readonly parts: OfficeParts;
  /** By the number that is the text of their run. */
  readonly inserts: readonly Insert[];
}

/** The id of the style. */
export const INSERT_STYLE = 'MarkdownInsert';

const PARTS = ['word/document.xml', 'word/footnotes.xml', 'word/endnotes.xml'];
const WORD =
  /xmlns:(\w+)="http:\/\/(?:schemas\.openxmlformats\.org\/wordprocessingml\/2006|purl\.oclc\.org\/ooxml\/wordprocessingml)\/main"/;
const FORMULA = /<(\/?)(?:\w+:)?(?:oMathPara|oMath)(?:\s[^<>]*[^<>/])?>/g;
const DRAWING = /<(\/?)(?:\w+:)?drawing(?:\s[^<>]*[^<>/])?>/g;
const HAS_FORMULA = /<(?:\w+:)?oMath[\s>P]/;
const HAS_CHART = /<(?:\w+:)?chart\s/;

export function withInserts(parts: OfficeParts): WithInserts {
  const inserts: Insert[] = [];
  const changed = new Map(parts);
  for (const name of PARTS) {
    const xml = parts.get(name)?.toString('utf8') ?? '';
    if (!HAS_FORMULA.test(xml) && !HAS_CHART.test(xml)) continue;
    const prefix = WORD.exec(xml)?.[1] ?? 'w';
    const put = (insert: Insert): string => {
      const number = inserts.push(insert) - 1;
      const style = `<${prefix}:rPr><${prefix}:rStyle ${prefix}:val="${INSERT_STYLE}"/></${prefix}:rPr>`;
      return `<${prefix}:r>${style}<${prefix}:t>${number}</${prefix}:t></${prefix}:r>`;
    };
    const drawn = replaced(xml, { tags: DRAWING, innermost: true }, (it) =>
      readable(() => chartOf(parts, name, it), '[Chart]')?.map(put),
    );
    const written = replaced(drawn, { tags: FORMULA, innermost: false }, (it) =>
      readable(() => formulasOf(it), '[Formula]')?.map(put),
    );
    changed.set(name, Buffer.from(written));
  }
  return inserts.length === 0 ? { parts, inserts } : { parts: changed, inserts };
}

/** An element that cannot be read must not fail the whole document. */
function readable(read: () => readonly Insert[] | undefined, instead: string): readonly Insert[] | undefined {
  try {
    return read();
  } catch {
    return [{ inline: instead }];
  }
}

interface Sections {
  /** Matches start and end tags of elements with content. The first group is the slash of an end tag. */
  readonly tags: RegExp;
  /** True for nested elements that contain no other, false for those that no other contains. */
  readonly innermost: boolean;
}

/** Replaces elements by other XML. `undefined` leaves an element as it is. */
function replaced(
  xml: string,
  sections: Sections,
  replace: (section: string) => readonly string[] | undefined,
): string {
  const pieces: string[] = [];
  let kept = 0;
  for (const { begin, end } of sectionsOf(xml, sections)) {
    const instead = replace(xml.slice(begin, end));
    if (instead === undefined) continue;
    pieces.push(xml.slice(kept, begin), ...instead);
    kept = end;
  }
  return pieces.join('') + xml.slice(kept);
}

function* sectionsOf(
  xml: string,
  { tags, innermost }: Sections,
): Generator<{ readonly begin: number; readonly end: number }> {
  let begin: number | undefined;
  let depth = 0;
  for (const { index, 0: tag, 1: slash } of xml.matchAll(tags)) {
    if (slash === '') {
      if (innermost || depth === 0) begin = index;
      depth += 1;
      continue;
    }
    depth = Math.max(depth - 1, 0);
    if (begin === undefined || !(innermost || depth === 0)) continue;
    yield { begin, end: index + tag.length };
    begin = undefined;
  }
}

function formulasOf(section: string): readonly Insert[] {
  const root = parsedSection(section);
  const isBlock = nodesBelow(root, 'oMathPara').length > 0;
  return nodesBelow(root, 'oMath').flatMap((formula): readonly Insert[] => {
    const latex = latexFormula(formula);
    if (latex === '') return [];
    return [isBlock ? { inline: `$${latex}$`, block: `$$${latex}$$` } : { inline: `$${latex}$` }];
  });
}

/** Returns `undefined` for any other drawing. */
function chartOf(parts: OfficeParts, from: string, section: string): readonly Insert[] | undefined {
  if (!HAS_CHART.test(section)) return undefined;
  const root = parsedSection(section);
  const [id = ''] = nodesBelow(root, 'chart').map(({ attributes }) => attributes.id ?? '');
  const relation = relationsOf(parts, from).get(id);
  if (relation?.type !== 'chart') return undefined;
  const [description = ''] = nodesBelow(root, 'docPr').map(({ attributes }) => attributes.descr ?? '');
  return [chartText(parts, relation.target, description)];
}
