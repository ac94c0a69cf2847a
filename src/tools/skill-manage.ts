// The tool with which the agent makes and changes skills of its user: skill_manage.
import { z } from 'zod';
import type { EditOutcome, SkillAuthor } from '../skills/edit/skill-editing.ts';
import type { SkillEditor } from '../skills/edit/skill-editor.ts';
import { MAX_TEXT_BYTES, SKILL_FILE } from '../skills/skill-text.ts';
import { defineTool, failure, result, type Tool, type ToolContext, type ToolOutcome } from './tool.ts';

/** The limit of a file, and so of a part of one. */
const text = z.string().max(MAX_TEXT_BYTES);

const input = z.object({
  action: z
    .enum(['create', 'edit', 'patch', 'delete', 'write_file', 'remove_file'])
    .describe(
      'create or edit a whole SKILL.md, patch a part of a file, delete the skill, or write or remove one of its other files',
    ),
  name: z.string().min(1).max(64).describe('The name of the skill, like code-review'),
  content: text.optional().describe('For create, edit and write_file: the whole text'),
  path: z
    .string()
    .max(512)
    .optional()
    .describe(
      'For write_file and remove_file: below references/, templates/, scripts/ or assets/. For patch: SKILL.md by default',
    ),
  find: text.min(1).optional().describe('For patch: the exact text to replace'),
  replace: text.optional().describe('For patch: the new text'),
  expected_count: z
    .int()
    .min(1)
    .optional()
    .describe(
      'For patch: replace all occurrences if there are exactly this many; omitted, the first one is replaced',
    ),
});
type Input = z.output<typeof input>;

/** A change that is refused leaves the skill as it was. */
export function createSkillManageTool(editor: SkillEditor): Tool {
  return defineTool({
    name: 'skill_manage',
    description:
      "Creates and changes the person's own skills, which are instructions for later conversations. " +
      'Use it when the person asks for it, or when you found a way of working worth keeping and the person agrees. ' +
      'A SKILL.md begins with front matter: ---, name: words-with-hyphens, description: what it does and when to use it, ---.',
    input,
    effect: 'once',
    run: (asked, context) => change(editor, asked, authorOf(context)),
  });
}

function authorOf({ userId, threadId }: ToolContext): SkillAuthor {
  return { userId, author: 'agent', threadId, clientIp: null, isConfirmed: false };
}

async function change(editor: SkillEditor, asked: Input, author: SkillAuthor): Promise<ToolOutcome> {
  const { name, path } = asked;
  switch (asked.action) {
    case 'create':
      return create(editor, asked, author);
    case 'edit':
      return write(editor, { ...asked, path: SKILL_FILE }, author);
    case 'patch':
      return patch(editor, asked, author);
    case 'delete':
      await editor.remove(author, name);
      return result(`Deleted custom skill '${name}'.`);
    case 'write_file':
      return write(editor, asked, author);
    case 'remove_file':
      if (path === undefined) return missing('remove_file', 'path');
      await editor.removeFile(author, name, { path });
      return result(`Removed '${path}' from custom skill '${name}'.`);
  }
}

async function create(editor: SkillEditor, asked: Input, author: SkillAuthor): Promise<ToolOutcome> {
  const { name, content } = asked;
  if (content === undefined) return missing('create', 'content');
  return outcomeText(await editor.create(author, { name, content }), `Created custom skill '${name}'.`);
}

async function write(editor: SkillEditor, asked: Input, author: SkillAuthor): Promise<ToolOutcome> {
  const { action, name, path, content } = asked;
  if (content === undefined) return missing(action, 'content');
  if (path === undefined) return missing(action, 'path');
  const done =
    path === SKILL_FILE ? `Updated custom skill '${name}'.` : `Wrote '${path}' for custom skill '${name}'.`;
  return outcomeText(await editor.write(author, name, { path, content }), done);
}

async function patch(editor: SkillEditor, asked: Input, author: SkillAuthor): Promise<ToolOutcome> {
  const { name, path = SKILL_FILE, find, replace, expected_count: expectedCount } = asked;
  if (find === undefined) return missing('patch', 'find');
  if (replace === undefined) return missing('patch', 'replace');
  const outcome = await editor.patch(author, name, { path, find, replace, expectedCount });
  const counts = `${outcome.replaced} replacement(s) applied, ${outcome.found} match(es) found`;
  return outcomeText(outcome, `Patched custom skill '${name}' (${counts}).`);
}

function outcomeText(outcome: EditOutcome, done: string): ToolOutcome {
  const findings = outcome.findings.map(({ file, line, message }) => `${file}:${line ?? 1}: ${message}`);
  if (outcome.kind === 'done') return result([done, ...findings].join('\n'));
  return failure(['Error: The scan found something critical; nothing was written.', ...findings].join('\n'));
}

function missing(action: string, argument: string): ToolOutcome {
  return failure(`Error: ${action} needs "${argument}".`);
}
