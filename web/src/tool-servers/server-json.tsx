// Tool servers as JSON: pasted from their documentation, or the current entry.
import { useState } from 'react';
import type { ServerEntries } from '../api/tool-server-shapes.ts';
import { TextArea } from '../ui/text-field.tsx';
import { readPastedServers } from './pasted-servers.ts';
import { NewServerName, ServerEditor } from './server-editor.tsx';
import type { Saving } from './use-saving.ts';

interface ServerJsonProps {
  /** The edited server. Undefined when servers are added. */
  readonly name: string | undefined;
  readonly text: string;
  readonly refused: (servers: ServerEntries) => string | undefined;
  readonly saving: Saving;
  readonly onCancel: () => void;
}

const EXAMPLE = `{
  "mcpServers": {
    "everything": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-everything"]
    }
  }
}`;

export function ServerJson({ name, text, refused, saving, onCancel }: ServerJsonProps) {
  const [draft, setDraft] = useState(text);
  const [newName, setNewName] = useState('');
  const [problem, setProblem] = useState<string>();
  const pasted = readPastedServers(draft);
  const needsName = name === undefined && pasted.kind === 'nameless';
  const submit = () => {
    if (pasted.kind === 'problem') return setProblem(pasted.sentence);
    if (name !== undefined && pasted.kind === 'servers')
      return setProblem('There is more than one entry. Keep only the one of this server.');
    const servers = pasted.kind === 'servers' ? pasted.servers : { [name ?? newName.trim()]: pasted.entry };
    const sentence = refused(servers);
    if (sentence === undefined) saving.save(servers);
    else setProblem(sentence);
  };
  return (
    <ServerEditor saving={saving} onSubmit={submit} onCancel={onCancel}>
      <TextArea
        label={name === undefined ? 'JSON from the documentation of the server' : 'Its entry'}
        value={draft}
        onChange={({ target }) => {
          setProblem(undefined);
          setDraft(target.value);
        }}
        spellCheck={false}
        placeholder={EXAMPLE}
        error={problem}
        className="min-h-52 font-mono sm:text-[0.8125rem]"
      />
      {needsName && (
        <NewServerName
          value={newName}
          onChange={(next) => {
            setProblem(undefined);
            setNewName(next);
          }}
        />
      )}
    </ServerEditor>
  );
}
