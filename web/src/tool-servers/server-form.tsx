// A tool server as a form.
import { useState } from 'react';
import type { ServerEntries, ServerEntry } from '../api/tool-server-shapes.ts';
import { SelectField } from '../ui/select-field.tsx';
import { TextArea, TextField } from '../ui/text-field.tsx';
import { NewServerName, ServerEditor } from './server-editor.tsx';
import { type ServerFields, toEntry, toFields } from './server-fields.ts';
import type { Saving } from './use-saving.ts';

interface ServerFormProps {
  /** Undefined for a new server, which needs a name. */
  readonly name: string | undefined;
  readonly entry: ServerEntry;
  /** Why these servers may not be saved. */
  readonly refused: (servers: ServerEntries) => string | undefined;
  readonly saving: Saving;
  readonly onCancel: () => void;
}

const KINDS = [
  { value: 'command', label: 'A program on this machine' },
  { value: 'address', label: 'A server at an address' },
] as const;

interface Problem {
  readonly field: keyof ServerFields | 'name';
  readonly sentence: string;
}

export function ServerForm({ name, entry, refused, saving, onCancel }: ServerFormProps) {
  const [fields, setFields] = useState(() => toFields(entry));
  const [newName, setNewName] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const set = (changed: Partial<ServerFields>) => {
    setProblem(undefined);
    setFields({ ...fields, ...changed });
  };
  const submit = () => {
    const read = toEntry(fields, entry);
    if (read.kind === 'problem') return setProblem(read);
    const servers = { [name ?? newName.trim()]: read.entry };
    const sentence = refused(servers);
    if (sentence === undefined) saving.save(servers);
    else setProblem({ field: 'name', sentence });
  };
  const errorOf = (field: Problem['field']) => (problem?.field === field ? problem.sentence : undefined);
  return (
    <ServerEditor saving={saving} onSubmit={submit} onCancel={onCancel}>
      {name === undefined && (
        <NewServerName
          value={newName}
          autoFocus
          error={errorOf('name')}
          onChange={(next) => {
            setProblem(undefined);
            setNewName(next);
          }}
        />
      )}
      <SelectField label="It is" value={fields.kind} options={KINDS} onChange={(kind) => set({ kind })} />
      {fields.kind === 'command' ? (
        <CommandFields fields={fields} onSet={set} envError={errorOf('env')} />
      ) : (
        <AddressFields fields={fields} onSet={set} headersError={errorOf('headers')} />
      )}
      <TextField
        label="Description"
        value={fields.description}
        maxLength={2_048}
        onChange={({ target }) => set({ description: target.value })}
        hint="Optional. The description that people see on this page."
      />
      <MoreFields fields={fields} onSet={set} />
    </ServerEditor>
  );
}

interface FieldsProps {
  readonly fields: ServerFields;
  readonly onSet: (changed: Partial<ServerFields>) => void;
}

const CODE = 'font-mono sm:text-[0.8125rem]';

function secretsHint(lines: string): string {
  const reference = '$NAME inserts the value from the environment of the service.';
  return lines.includes('***') ? `*** keeps the secret as it is; ${reference}` : reference;
}

function CommandFields({ fields, onSet, envError }: FieldsProps & { readonly envError: string | undefined }) {
  return (
    <>
      <TextField
        label="Command"
        value={fields.command}
        onChange={({ target }) => onSet({ command: target.value })}
        required
        autoCapitalize="off"
        spellCheck={false}
        placeholder="npx"
      />
      <TextArea
        label="Arguments, one per line"
        value={fields.args}
        onChange={({ target }) => onSet({ args: target.value })}
        spellCheck={false}
        placeholder={'-y\n@modelcontextprotocol/server-everything'}
        rows={3}
        className={CODE}
      />
      <TextArea
        label="Environment, one NAME=value per line"
        value={fields.env}
        onChange={({ target }) => onSet({ env: target.value })}
        spellCheck={false}
        placeholder="API_KEY=$CALENDAR_KEY"
        hint={secretsHint(fields.env)}
        error={envError}
        className={CODE}
      />
    </>
  );
}

const TRANSPORTS = [
  { value: 'http', label: 'Streamable HTTP' },
  { value: 'sse', label: 'SSE (older servers)' },
] as const;

function AddressFields({
  fields,
  onSet,
  headersError,
}: FieldsProps & { readonly headersError: string | undefined }) {
  return (
    <>
      <TextField
        label="Address"
        type="url"
        value={fields.url}
        onChange={({ target }) => onSet({ url: target.value })}
        required
        placeholder="https://example.com/mcp"
      />
      <SelectField
        label="Protocol"
        value={fields.transport}
        options={TRANSPORTS}
        onChange={(transport) => onSet({ transport })}
      />
      <TextArea
        label="Headers, one Name: value per line"
        value={fields.headers}
        onChange={({ target }) => onSet({ headers: target.value })}
        spellCheck={false}
        placeholder="Authorization: $CALENDAR_TOKEN"
        hint={secretsHint(fields.headers)}
        error={headersError}
        className={CODE}
      />
    </>
  );
}

function MoreFields({ fields, onSet }: FieldsProps) {
  return (
    <details className="group rounded-lg border border-border">
      <summary className="flex min-h-10 items-center px-3.5 text-sm font-medium hover:bg-accent">
        More settings
      </summary>
      <div className="grid gap-4 border-t border-border p-3.5">
        <label className="flex min-h-10 items-center gap-3 text-sm">
          <input
            type="checkbox"
            checked={fields.hasPrefix}
            onChange={({ target }) => onSet({ hasPrefix: target.checked })}
            className="size-4 accent-primary"
          />
          Begin the names of its tools with the name of the server
        </label>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Longest call, in seconds"
            type="number"
            min={1}
            max={3_600}
            value={fields.callTimeout}
            onChange={({ target }) => onSet({ callTimeout: target.value })}
            placeholder="60"
          />
          <TextField
            label="Longest start, in seconds"
            type="number"
            min={1}
            max={3_600}
            value={fields.startTimeout}
            onChange={({ target }) => onSet({ startTimeout: target.value })}
            placeholder="30"
          />
        </div>
      </div>
    </details>
  );
}
