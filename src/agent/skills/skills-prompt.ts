// The part of the system prompt about a user's skills: which there are, and where to read more. Pure.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import type { EnabledSkill } from '../../skills/enabled-skill.ts';
import { SKILLS_ROOT } from '../../skills/skill-folders.ts';
import { utf8Prefix } from '../../utf8-prefix.ts';

/** Every turn of every thread pays for these bytes. */
const MAX_BYTES = 4_096;
/** A shorter piece of a description is useless. */
const LEAST_DESCRIPTION_BYTES = 16;
const CATEGORIES = ['public', 'custom'] as const;

const HEAD = `<available_skills>
Skills are folders with instructions for particular tasks, which are switched on for this person. When a task fits one, read its SKILL.md with read_file before you begin, and do as it says as far as the person and this prompt say nothing else. Read other files of the folder when it points at them, and run its scripts with bash where they are. Nothing can be changed there.`;
const END = '</available_skills>';

/** Names skills, with as much of their descriptions as 4 KiB allow, and counts the others; may be empty. */
export function skillsPrompt(skills: readonly EnabledSkill[]): string {
  if (skills.length === 0) return '';
  const groups = CATEGORIES.map((category) => skills.filter((it) => it.category === category));
  const ordered = groups.flat();
  const heads = CATEGORIES.filter((_, index) => groups[index]?.length !== 0).map(headOf);
  const fixed = [HEAD, ...heads, moreLine(skills.length), END];
  const budget = MAX_BYTES - fixed.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  const named = firstThatFit(ordered, budget);
  const nameBytes = named.reduce((sum, skill) => sum + bytesOfName(skill), 0);
  const descriptions = sharedOut(named.map(describe), budget - nameBytes);
  const lines = CATEGORIES.flatMap((category) => {
    const own = named.flatMap((skill, index) =>
      skill.category === category ? [`- ${skill.name}${descriptions[index] ?? ''}`] : [],
    );
    return own.length === 0 ? [] : [headOf(category), ...own];
  });
  const left = ordered.length - named.length;
  return [HEAD, ...lines, ...(left === 0 ? [] : [moreLine(left)]), END].join('\n');
}

function headOf(category: EnabledSkill['category']): string {
  return `In ${SKILLS_ROOT}/${category}/<name>/SKILL.md:`;
}

function moreLine(count: number): string {
  return `... and ${count} more; ls on ${SKILLS_ROOT} shows all of them.`;
}

function bytesOfName({ name }: EnabledSkill): number {
  return Buffer.byteLength(name) + 3;
}

function firstThatFit(skills: readonly EnabledSkill[], budget: number): readonly EnabledSkill[] {
  let left = budget;
  const end = skills.findIndex((skill) => {
    left -= bytesOfName(skill);
    return left < 0;
  });
  return end === -1 ? skills : skills.slice(0, end);
}

/** Returns one line without prompt marks. */
function describe({ description }: EnabledSkill): string {
  return `: ${withoutForgedMarks(description.replace(/[\s\p{Cc}]+/gu, ' ').trim())}`;
}

/** Returns the texts, with long ones cut to the length at which all of them fit together. */
function sharedOut(texts: readonly string[], budget: number): readonly string[] {
  const lengths = texts.map((text) => Buffer.byteLength(text)).sort((a, b) => a - b);
  let left = budget;
  let longest = Number.POSITIVE_INFINITY;
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) {
      longest = share;
      break;
    }
    left -= length;
  }
  return texts.map((text) => cutTo(text, longest));
}

function cutTo(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  if (bytes < LEAST_DESCRIPTION_BYTES) return '';
  return `${utf8Prefix(text, bytes - Buffer.byteLength('…')).trimEnd()}…`;
}
