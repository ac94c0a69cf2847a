// Adds or changes a fact.
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import type { FactWords, MemoryConfig, MemoryFact } from '../api/memory-calls.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { isSendKey } from '../ui/send-key.ts';
import { formText, TextArea, TextField } from '../ui/text-field.tsx';
import { CATEGORIES, categoryText, percentOf } from './fact-words.ts';
import { useMemoryChange } from './memory-queries.ts';

interface FactDialogProps {
  readonly agent: string;
  /** Undefined when a new fact is added. */
  readonly fact: MemoryFact | undefined;
  readonly config: MemoryConfig;
  readonly onSaved: (what: string) => void;
  readonly onClose: () => void;
}

export function FactDialog({ agent, fact, config, onSaved, onClose }: FactDialogProps) {
  const [content, setContent] = useState(fact?.content ?? '');
  const [category, setCategory] = useState(fact?.category ?? 'context');
  const save = useMemoryChange(agent, (api, words: FactWords) =>
    fact === undefined ? api.addFact(agent, words) : api.changeFact(agent, fact.id, words),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (content.trim() === '') return;
    const percent = Number(formText(new FormData(event.currentTarget), 'confidence'));
    const isSame = fact !== undefined && percent === percentOf(fact.confidence);
    const confidence = isSame ? fact.confidence : percent / 100;
    const onSuccess = () => onSaved(fact === undefined ? 'Fact added.' : 'Fact changed.');
    save.mutate({ content, category, confidence }, { onSuccess });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (!isSendKey(event)) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  const categories = new Set<string>([...CATEGORIES, category]);
  return (
    <Dialog open onClose={onClose} title={fact === undefined ? 'Add a fact' : 'Edit the fact'}>
      <form onSubmit={submit} className="grid gap-4">
        {save.error !== null && <Notice tone="danger">{save.error.message}</Notice>}
        <TextArea
          label="Fact"
          value={content}
          autoFocus
          required
          maxLength={config.max_fact_characters}
          placeholder="Drinks green tea"
          hint={fact?.source.kind === 'thread' ? WRITTEN_ANEW : 'One sentence about you.'}
          className="min-h-20"
          onChange={({ target }) => setContent(target.value)}
          onKeyDown={onKeyDown}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <SelectField
            label="Category"
            value={category}
            options={[...categories].map((value) => ({ value, label: categoryText(value) }))}
            onChange={setCategory}
          />
          <TextField
            label="Confidence in percent"
            name="confidence"
            type="number"
            inputMode="numeric"
            required
            min={0}
            max={100}
            step={1}
            defaultValue={percentOf(fact?.confidence ?? 1)}
          />
        </div>
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={save.isPending || content.trim() === ''}>
            {fact === undefined ? 'Add fact' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const WRITTEN_ANEW = 'A changed fact counts as written by you and no longer links to the chat.';
