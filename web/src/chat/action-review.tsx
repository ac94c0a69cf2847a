// One tool call that a person decides about: allow it, change it, or refuse it.
import { Check, Pencil, ShieldCheck, X } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { toolWords } from '../tool-cards/tool-words.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/text-area.tsx';
import { ArgumentForm } from './argument-form.tsx';
import { ArgumentList } from './argument-list.tsx';
import { FileWriteReview, writingOf } from './file-write-review.tsx';
import { SubmitOrCancel } from './submit-or-cancel.tsx';
import type { AskedAction, Decision } from './waiting.ts';

interface ActionReviewProps {
  readonly action: AskedAction;
  readonly decision: Decision | undefined;
  readonly onDecide: (decision: Decision | undefined) => void;
  /** Allows it, and the tool for the rest of the chat; undefined where that cannot be. */
  readonly onAlwaysAllow: (() => void) | undefined;
}

type Mode = 'look' | 'edit' | 'refuse';

export function ActionReview({ action, decision, onDecide, onAlwaysAllow }: ActionReviewProps) {
  const [mode, setMode] = useState<Mode>('look');
  // Where the focus goes when a form closes: to the button that opened it.
  const [left, setLeft] = useState<Mode>();
  const close = () => {
    setLeft(mode);
    setMode('look');
  };
  const decide = (made: Decision) => {
    close();
    onDecide(made);
  };
  if (mode === 'edit')
    return (
      <ArgumentForm
        args={action.args}
        onCancel={close}
        onAllow={(args) => decide({ type: 'edit', edited_action: { name: action.name, args } })}
      />
    );
  const shown = decision?.type === 'edit' ? decision.edited_action.args : action.args;
  const writing = writingOf({ name: action.name, args: shown });
  return (
    <div className="grid min-w-0 gap-3.5">
      <ArgumentList args={shown} />
      {writing !== undefined && <FileWriteReview {...writing} />}
      {mode === 'refuse' && <RefusalForm onRefuse={decide} onCancel={close} />}
      {mode === 'look' && decision !== undefined && (
        <Decided decision={decision} onChange={() => onDecide(undefined)} />
      )}
      {mode === 'look' && decision === undefined && (
        <Choices
          action={action}
          focused={left}
          onAllow={() => decide({ type: 'approve' })}
          onAlwaysAllow={onAlwaysAllow}
          onOpen={setMode}
        />
      )}
    </div>
  );
}

interface ChoicesProps {
  readonly action: AskedAction;
  readonly focused: Mode | undefined;
  readonly onAllow: () => void;
  readonly onAlwaysAllow: (() => void) | undefined;
  readonly onOpen: (mode: Mode) => void;
}

function Choices({ action, focused, onAllow, onAlwaysAllow, onOpen }: ChoicesProps) {
  const { allowed, args, name } = action;
  const canEdit = allowed.includes('edit') && Object.keys(args).length > 0;
  return (
    <div className="flex flex-wrap gap-2">
      {allowed.includes('approve') && (
        <Button size="small" onClick={onAllow} aria-label={`Allow once: ${toolWords(name)}`}>
          <Check aria-hidden />
          Allow once
        </Button>
      )}
      {canEdit && (
        <Button
          look="secondary"
          size="small"
          autoFocus={focused === 'edit'}
          onClick={() => onOpen('edit')}
          aria-label={`Edit: ${toolWords(name)}`}
        >
          <Pencil aria-hidden />
          Edit
        </Button>
      )}
      {allowed.includes('reject') && (
        <Button
          look="secondary"
          size="small"
          autoFocus={focused === 'refuse'}
          onClick={() => onOpen('refuse')}
          aria-label={`Deny: ${toolWords(name)}`}
        >
          <X aria-hidden />
          Deny
        </Button>
      )}
      {allowed.includes('approve') && onAlwaysAllow !== undefined && (
        <Button
          look="ghost"
          size="small"
          onClick={onAlwaysAllow}
          aria-label={`Always allow in this chat: ${toolWords(name)}`}
        >
          <ShieldCheck aria-hidden />
          Always allow in this chat
        </Button>
      )}
    </div>
  );
}

interface RefusalFormProps {
  readonly onRefuse: (decision: Decision) => void;
  readonly onCancel: () => void;
}

function RefusalForm({ onRefuse, onCancel }: RefusalFormProps) {
  const [reason, setReason] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const message = reason.trim();
    onRefuse({ type: 'reject', ...(message === '' ? {} : { message }) });
  };
  return (
    <form onSubmit={submit} aria-label="Deny" className="grid min-w-0 gap-3">
      <TextArea
        label="Reason (optional, shown to the agent)"
        value={reason}
        autoFocus
        onChange={({ target }) => setReason(target.value)}
      />
      <SubmitOrCancel look="danger" onCancel={onCancel}>
        Deny
      </SubmitOrCancel>
    </form>
  );
}

const DECIDED = { approve: 'Allowed', edit: 'Allowed with changes', reject: 'Denied' } as const;

interface DecidedProps {
  readonly decision: Decision;
  readonly onChange: () => void;
}

function Decided({ decision, onChange }: DecidedProps) {
  const isRefused = decision.type === 'reject';
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <p className="flex min-w-0 items-center gap-1.5 font-medium [overflow-wrap:anywhere]">
        {isRefused ? (
          <X aria-hidden className="size-4 shrink-0 text-danger" />
        ) : (
          <Check aria-hidden className="size-4 shrink-0 text-success" />
        )}
        {DECIDED[decision.type]}
        {isRefused && decision.message !== undefined && `: ${decision.message}`}
      </p>
      <Button look="quiet" size="small" onClick={onChange}>
        Change decision
      </Button>
    </div>
  );
}
