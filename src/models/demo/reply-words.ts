// Replies that need no tool: about the thread, about the model itself, or about what the person wrote.
import type { Conversation } from './conversation.ts';
import type { Intent } from './intent.ts';
import { planFor } from './plan.ts';
import { codeBlock, quote, shortened } from './reply.ts';
import { summaryOf } from './reply-to-results.ts';

const ABILITIES = [
  '“list the files”',
  '“write NOTES.md: buy milk”, “append eggs to NOTES.md”',
  '“read NOTES.md”, “read A.md and B.md”',
  '“replace milk with oat milk in NOTES.md”',
  '“summarise NOTES.md” or “summarise: any text”',
  '“run ls -la”, where commands are switched on',
  '“use filesystem_list_directory {"path": "."}”: a tool, also of a tool server, by its name and with its arguments',
  '“make a report about tea and honey”, “write outputs/tea.md: two leaves”',
  '“plan a party: guests, cake, music”, step by step with “Plan” switched on',
  '“in parallel: list the files; count to 100”, which sub-agents do',
  '“ask me which colour I like”',
  '“think about rain” (with thinking switched on)',
  '“what did I say before?”, “count to 100”, “show me markdown”',
];

const WHO =
  'I am the built-in demo model: I work offline and follow fixed rules, there is no language model behind me. ' +
  'The tools, files and the memory of this thread are real.';

const HOW_TO_REPLACE_ME =
  'For real answers, ask the administrator to add a model, for example by setting `OPENAI_API_KEY` or `ANTHROPIC_API_KEY`.';

export function replyWords(intent: Intent, conversation: Conversation): string {
  switch (intent.kind) {
    case 'summarise_text':
      return summaryOf(intent.text, 'your text');
    case 'summarise_thread':
      return summaryOf(conversation.earlier.join('\n'), 'what you said in this thread');
    case 'plan':
      return planFor(intent.goal);
    case 'think':
      return thoughtAbout(intent.about);
    case 'recall':
      return recalled(conversation.earlier);
    case 'recall_name':
      return recalledName(conversation.earlier);
    case 'count':
      return Array.from({ length: intent.to }, (_, index) => index + 1).join(' ');
    case 'show_markdown':
      return sampleMarkdown();
    case 'help':
      return `${WHO}\n\n${abilities()}\n\n${HOW_TO_REPLACE_ME}`;
    case 'greet':
      return `Hello! ${WHO}\n\n${abilities()}`;
    default:
      return talk(conversation);
  }
}

function abilities(): string {
  return `You can try:\n\n${ABILITIES.map((ability) => `- ${ability}`).join('\n')}`;
}

function thoughtAbout(about: string): string {
  const subject = about === '' ? 'that' : `“${about}”`;
  return `I turned ${subject} over, as far as fixed rules can. ${WHO}`;
}

function recalled(earlier: readonly string[]): string {
  if (earlier.length === 0) return 'This is the first thing you say in this thread.';
  const shown = earlier.slice(-10);
  const left = earlier.length - shown.length;
  const lines = shown.map((said, index) => `${left + index + 1}. ${shortened(said, 200)}`);
  const before = left > 0 ? ` The first ${left} are further up.` : '';
  const amount = earlier.length === 1 ? 'one message' : `${earlier.length} messages`;
  return `Before this, you wrote ${amount} in this thread.${before}\n\n${lines.join('\n')}`;
}

function recalledName(earlier: readonly string[]): string {
  const name = earlier
    .map((said) => /\b(?:my name is|call me|i am called)\s+([\p{L}][\p{L}'’-]*)/iu.exec(said)?.[1])
    .findLast((found) => found !== undefined);
  if (name === undefined) return 'You have not told me your name in this thread. Try “my name is Ada”.';
  return `You told me earlier in this thread: your name is ${name}.`;
}

function talk({ said, earlier, openQuestion }: Conversation): string {
  if (said === '') return `There is no message with words to answer. ${WHO}`;
  if (openQuestion !== undefined) {
    return `Thank you. I had asked “${openQuestion}”, and you answered:\n\n${quote(shortened(said, 500))}\n\n${WHO}`;
  }
  const previous = earlier.at(-1);
  const before = previous === undefined ? '' : ` Before that it was “${shortened(previous, 80)}”.`;
  return `You said:\n\n${quote(shortened(said, 500))}\n\n${WHO}${before}\n\n${abilities()}`;
}

function sampleMarkdown(): string {
  const code = codeBlock(
    'export function greet(name: string): string {\n  return name.trim().toUpperCase();\n}',
    'ts',
  );
  const table =
    '| part | what it shows |\n|---|---|\n| table | rows and columns |\n| code | highlighted text |';
  return `## A bit of Markdown\n\nSome **bold**, some *italic*, some \`code\`.\n\n${code}\n\n${table}\n\n- one\n- two\n- three`;
}
