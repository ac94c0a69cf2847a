// The memory page: the facts that an agent remembers about the person, with their sources and actions.
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download, Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import * as z from 'zod/mini';
import { agentLabel, useAgents } from '../agents/agent-queries.ts';
import { ASSISTANT_ID } from '../api/agent-calls.ts';
import type { Memory, MemoryConfig, MemoryFact } from '../api/memory-calls.ts';
import { useServices } from '../services/services.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { FileButton, readJsonFile, useDownload } from '../ui/file-button.tsx';
import { Notice } from '../ui/notice.tsx';
import { AppPage } from '../ui/page.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { FactDialog } from './fact-dialog.tsx';
import { FactList } from './fact-list.tsx';
import { countOf, ImportDialog, type MemoryFile } from './import-dialog.tsx';
import { useMemory, useMemoryChange, useMemoryConfig } from './memory-queries.ts';
import { MemorySwitch } from './memory-switch.tsx';

type Opened =
  | { readonly kind: 'fact'; readonly fact: MemoryFact | undefined }
  | { readonly kind: 'import'; readonly file: MemoryFile }
  | { readonly kind: 'forget' };

const NO_MEMORY = 'This file is not an exported memory. Choose a file that was exported here.';
const fileSchema = z.looseObject({ facts: z.array(z.unknown()) });

export function MemoryPage() {
  const { agent = ASSISTANT_ID } = useSearch({ from: '/shell/memory' });
  const memory = useMemory(agent);
  const config = useMemoryConfig();
  const [opened, setOpened] = useState<Opened>();
  const readFile = useMutation({
    mutationFn: memoryFileOf,
    onSuccess: (file) => setOpened({ kind: 'import', file }),
  });
  const failure = memory.error ?? config.error;
  return (
    <AppPage
      title="Memory"
      action={
        config.data !== undefined &&
        memory.data !== undefined && (
          <div className="flex gap-2">
            <FileButton
              variant="secondary"
              title="Choose an exported file"
              accept=".json"
              label="Memory to import"
              onFiles={([file]) => file !== undefined && readFile.mutate(file)}
            >
              Import
            </FileButton>
            <Button size="small" onClick={() => setOpened({ kind: 'fact', fact: undefined })}>
              <Plus aria-hidden />
              Add fact
            </Button>
          </div>
        )
      }
    >
      <p className="text-sm leading-relaxed text-muted-foreground">
        This is everything that agents remember about you beyond a chat. Only you can see it.
      </p>
      {readFile.error !== null && <Notice tone="danger">{readFile.error.message}</Notice>}
      {failure !== null && (
        <Notice
          tone="danger"
          actions={
            <Button
              variant="secondary"
              size="small"
              onClick={() => void Promise.all([memory.refetch(), config.refetch()])}
            >
              Try again
            </Button>
          }
        >
          {failure.message}
        </Notice>
      )}
      {failure === null && (memory.isPending || config.isPending) && <Spinner className="mx-auto my-6" />}
      {config.data !== undefined && <MemorySwitch config={config.data} />}
      <AgentChoice agent={agent} />
      {memory.data !== undefined && config.data !== undefined && (
        <MemoryView
          key={agent}
          agent={agent}
          memory={memory.data}
          config={config.data}
          opened={opened}
          onOpen={setOpened}
        />
      )}
    </AppPage>
  );
}

/** Hidden when the person has no agents to choose from. */
function AgentChoice({ agent }: { readonly agent: string }) {
  const navigate = useNavigate();
  const names = useAgents().data?.agents.map(({ name }) => name) ?? [];
  if (names.length === 0 && agent === ASSISTANT_ID) return null;
  return (
    <SelectField
      label="Agent"
      hint="Each agent has a memory of its own."
      value={agent}
      options={[...new Set([ASSISTANT_ID, ...names, agent])].map((value) => ({
        value,
        label: agentLabel(value),
      }))}
      onChange={(next) =>
        void navigate({ to: '/memory', search: next === ASSISTANT_ID ? {} : { agent: next } })
      }
    />
  );
}

interface MemoryViewProps {
  readonly agent: string;
  readonly memory: Memory;
  readonly config: MemoryConfig;
  readonly opened: Opened | undefined;
  readonly onOpen: (opened: Opened | undefined) => void;
}

function MemoryView({ agent, memory, config, opened, onOpen }: MemoryViewProps) {
  const [lastAction, setLastAction] = useState('');
  /** The revision that an undo created. The next undo is a redo. */
  const [undone, setUndone] = useState<number>();
  const undoButton = useRef<HTMLButtonElement>(null);
  const remove = useMemoryChange(agent, (api, { id }: MemoryFact) => api.deleteFact(agent, id));
  const undo = useMemoryChange(agent, (api, revision: number) => api.undoMemory(agent, revision));
  const forget = useMemoryChange(agent, (api, _: undefined) => api.forgetAll(agent));
  const isRedo = undone === memory.revision;
  const direction = isRedo ? 'redo' : 'undo';
  const close = () => onOpen(undefined);
  const finish = (what: string) => {
    setLastAction(what);
    close();
  };
  const takeBack = () =>
    undo.mutate(memory.revision, {
      onSuccess: ({ revision }) => {
        setUndone(isRedo ? undefined : revision);
        setLastAction(isRedo ? 'The change was redone.' : 'The last change was undone.');
      },
    });
  const deleteFact = (fact: MemoryFact) => {
    // The button was pressed twice.
    if (remove.isPending && remove.variables.id === fact.id) return;
    const onSuccess = () => {
      setLastAction('Fact deleted.');
      // The button that had the focus is gone.
      undoButton.current?.focus();
    };
    remove.mutate(fact, { onSuccess });
  };
  const failed = remove.error ?? undo.error;
  return (
    <>
      {failed !== null && <Notice tone="danger">{failed.message}</Notice>}
      <FactList
        facts={memory.facts}
        undo={memory.can_undo ? direction : undefined}
        undoButton={undoButton}
        onUndo={takeBack}
        onEdit={(fact) => onOpen({ kind: 'fact', fact })}
        onDelete={deleteFact}
      />
      <MemoryFooter
        agent={agent}
        memory={memory}
        most={config.max_facts}
        lastAction={lastAction}
        onForget={() => onOpen({ kind: 'forget' })}
      />
      {opened?.kind === 'fact' && (
        <FactDialog agent={agent} fact={opened.fact} config={config} onSaved={finish} onClose={close} />
      )}
      {opened?.kind === 'import' && (
        <ImportDialog
          agent={agent}
          file={opened.file}
          facts={memory.facts.length}
          onImported={({ facts }) => finish(`Imported: ${countOf(facts.length)}.`)}
          onClose={close}
        />
      )}
      {opened?.kind === 'forget' && (
        <ConfirmDialog
          title="Forget everything?"
          description={`${agentLabel(agent)} forgets everything about you. This cannot be undone. Export the facts first to keep a copy.`}
          action="Forget everything"
          isPending={forget.isPending}
          error={forget.error}
          onConfirm={() => forget.mutate(undefined, { onSuccess: () => finish('Everything was forgotten.') })}
          onClose={close}
        />
      )}
    </>
  );
}

interface MemoryFooterProps {
  readonly agent: string;
  readonly memory: Memory;
  /** The maximum number of facts. */
  readonly most: number;
  /** A description of the last action. */
  readonly lastAction: string;
  readonly onForget: () => void;
}

function MemoryFooter({ agent, memory, most, lastAction, onForget }: MemoryFooterProps) {
  const { api } = useServices();
  const download = useDownload(async () => api.memoryFile(agent));
  const count = memory.facts.length;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-muted-foreground">
      <p role="status" className="min-w-0 grow max-sm:basis-full">
        {lastAction}{' '}
        {count > 0 && <span className="tabular-nums">{`${count} of at most ${most} facts`}</span>}
      </p>
      {count > 0 && (
        <>
          <Button variant="quiet" size="small" onClick={() => download.mutate()}>
            <Download aria-hidden />
            Export
          </Button>
          <Button variant="quiet" size="small" className="text-danger hover:text-danger" onClick={onForget}>
            <Trash2 aria-hidden />
            Forget everything
          </Button>
        </>
      )}
    </div>
  );
}

async function memoryFileOf(file: File): Promise<MemoryFile> {
  const { success, data } = z.safeParse(fileSchema, await readJsonFile(file, NO_MEMORY));
  if (!success) throw new Error(NO_MEMORY);
  return { name: file.name, content: data };
}
