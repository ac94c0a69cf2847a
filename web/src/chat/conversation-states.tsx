// Replacements for a conversation: a welcome, the loading state, and a chat that does not exist.
import { Link } from '@tanstack/react-router';
import { Logo } from '../ui/logo.tsx';

const SUGGESTIONS = [
  { label: 'Write a report', text: 'Write a short report about tea and honey' },
  { label: 'Work on files', text: 'Read the files that I add and tell me what matters in them' },
  { label: 'Make a plan', text: 'Plan a weekend in Lisbon' },
] as const;

/** The demo model follows fixed rules. */
const DEMO_SUGGESTIONS = [
  { label: 'Make a report', text: 'make a report about tea and honey' },
  { label: 'Run a command', text: 'run ls -la' },
  { label: 'Make a plan', text: 'plan a weekend in Lisbon' },
] as const;

interface WelcomeProps {
  readonly isDemo: boolean;
  readonly onSuggest: (text: string) => void;
}

export function Welcome({ isDemo, onSuggest }: WelcomeProps) {
  return (
    <div className="m-auto grid w-full max-w-xl justify-items-center gap-3 py-2 text-center sm:py-10">
      <Logo className="size-11" />
      <h2 className="mt-2 text-2xl font-semibold tracking-tight text-balance">What are you working on?</h2>
      <p className="text-[0.9375rem] leading-relaxed text-balance text-muted-foreground">
        Ask a question, or let the agent work on files for you. It remembers this chat.
      </p>
      <ul className="mt-5 grid w-full gap-2.5 text-left sm:grid-cols-3">
        {(isDemo ? DEMO_SUGGESTIONS : SUGGESTIONS).map(({ label, text }) => (
          <li key={label}>
            <button
              type="button"
              onClick={() => onSuggest(text)}
              className="flex h-full w-full flex-col rounded-xl border border-border bg-surface px-3.5 py-3 text-left shadow-xs transition-colors hover:border-input hover:bg-accent"
            >
              <span className="block text-sm font-medium">{label}</span>
              <span className="mt-0.5 block text-[0.8125rem] leading-snug text-muted-foreground">{text}</span>
            </button>
          </li>
        ))}
      </ul>
      {isDemo && (
        <p className="mt-4 text-[0.8125rem] leading-relaxed text-balance text-muted-foreground">
          The built-in demo model answers here. It works offline and follows plain requests like these; add a
          model to the configuration for real answers.
        </p>
      )}
    </div>
  );
}

export function OpeningThread() {
  return (
    // Appears only when loading takes a moment.
    <div role="status" aria-label="Opening the chat" className="animate-[fade_200ms_150ms_backwards]">
      <div className="grid animate-pulse gap-8 pt-2">
        <div className="h-10 w-2/5 justify-self-end rounded-2xl bg-muted" />
        <div className="grid gap-3">
          <div className="h-4 w-11/12 rounded bg-muted" />
          <div className="h-4 w-4/5 rounded bg-muted" />
          <div className="h-4 w-3/5 rounded bg-muted" />
        </div>
      </div>
    </div>
  );
}

export function MissingThread() {
  return (
    <div className="m-auto grid max-w-sm justify-items-center gap-3 p-6 text-center">
      <h2 className="text-xl font-semibold tracking-tight">Chat not found</h2>
      <p className="text-sm leading-relaxed text-muted-foreground">
        It was deleted, or it belongs to another account.
      </p>
      <Link to="/" className="mt-1 py-2.5 text-sm font-medium text-primary underline underline-offset-4">
        Start a new chat
      </Link>
    </div>
  );
}
