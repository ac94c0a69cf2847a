// The rules of the demo model: from a request to a reply, the same one every time.
import type { ModelRequest } from '../model.ts';
import { callAfter, callFor } from './call-for.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { type Intent, readIntent } from './intent.ts';
import { planCall } from './plan.ts';
import { type DemoReply, say } from './reply.ts';
import { replyToResults } from './reply-to-results.ts';
import { replyWords } from './reply-words.ts';

export interface ComposedReply extends DemoReply {
  /** The basis of call ids. It differs in every turn, and is the same when the reply is composed again. */
  readonly seed: string;
}

export function composeReply(request: Pick<ModelRequest, 'messages' | 'tools' | 'thinking'>): ComposedReply {
  const conversation = readConversation(request.messages);
  if (isJudgement(conversation)) return { ...say(NO_JUDGEMENT), seed: conversation.saidId };
  const seed = `${conversation.saidId}:${request.messages.length}`;
  return { ...replyTo(conversation, request), seed };
}

function replyTo(conversation: Conversation, request: Pick<ModelRequest, 'tools' | 'thinking'>): DemoReply {
  const intent = intentOf(conversation);
  const { results } = conversation;
  const known = new Set(request.tools.map((tool) => tool.name));
  const planned = intent.kind === 'plan' && known.has('write_todos') && planCall(intent.goal, results);
  if (planned) return planned;
  if (intent.kind !== 'plan' && results.length > 0) {
    const next = callAfter(intent, results);
    return next?.calls.every(({ name }) => known.has(name)) ? next : say(replyToResults(intent, results));
  }
  const step = callFor(intent);
  if (step === undefined) {
    const reasons = intent.kind === 'think' && request.thinking;
    return say(replyWords(intent, conversation), reasons ? reasoningAbout(intent.about, conversation) : '');
  }
  const missing = step.calls.find((call) => !known.has(call.name));
  return missing === undefined ? step : say(withoutTool(intent, missing.name));
}

/** Whether the request is to judge a goal, which fixed rules cannot do. */
function isJudgement({ said }: Conversation): boolean {
  return said.startsWith('Goal: "') && said.includes('\nConversation, one message a line:\n');
}

const NO_JUDGEMENT = JSON.stringify({
  verdict: 'blocked',
  progress: true,
  reason: 'The demo model follows fixed rules and cannot judge a goal. Add a model, or judge it yourself.',
});

function intentOf({ said, earlier, openQuestion }: Conversation): Intent {
  const intent = readIntent(said);
  if (openQuestion === undefined || intent.kind !== 'talk') return intent;
  const asked = readIntent(earlier.at(-1) ?? '');
  if (asked.kind !== 'ask_content') return intent;
  return { kind: 'write', path: asked.path, content: `${said}\n`, append: false };
}

function withoutTool(intent: Intent, tool: string): string {
  if (intent.kind === 'ask') return intent.question;
  if (intent.kind === 'ask_content') return `What should I write into ${intent.path}?`;
  return `I would use the tool \`${tool}\` for that, but it is not enabled here.`;
}

function reasoningAbout(about: string, { earlier }: Conversation): string {
  const words = about.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  const longest = words.reduce((best, word) => (word.length > best.length ? word : best), '');
  const subject =
    about === ''
      ? 'Nothing in particular was named.'
      : `The subject is “${about}”, ${words.length} words long.`;
  const weight = longest === '' ? '' : ` The word that carries most is “${longest}”.`;
  const history =
    earlier.length === 0 ? 'Nothing was said before.' : `${earlier.length} earlier messages may matter.`;
  return `${subject}${weight} ${history} I follow fixed rules, so this is all the thinking there is.`;
}
