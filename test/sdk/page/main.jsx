// A chat that is nothing but the SDK's React hook: what an application makes of it, with a button for each call.
import { Client } from '@langchain/langgraph-sdk';
import { useStream } from '@langchain/langgraph-sdk/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

const client = new Client({
  apiUrl: `${location.origin}/api/graph`,
  apiKey: null,
  onRequest: (_url, init) => {
    const headers = new Headers(init.headers);
    headers.set('x-csrf-token', /csrf_token=([^;]+)/.exec(document.cookie)?.[1] ?? '');
    return { ...init, headers };
  },
});

/** Whether the page tells the sub-agents from the lead agent. */
const showsSubagents = new URLSearchParams(location.search).has('subagents');

function Chat() {
  const [threadId, setThreadId] = useState(/^\/threads\/([^/]+)$/.exec(location.pathname)?.[1] ?? null);
  const [text, setText] = useState('');
  const stream = useStream({
    client,
    assistantId: 'lead_agent',
    threadId,
    onThreadId: (id) => {
      setThreadId(id);
      history.replaceState(null, '', `/threads/${id}`);
    },
    fetchStateHistory: true,
    reconnectOnMount: true,
    filterSubagentMessages: showsSubagents,
  });
  const message = { messages: [{ type: 'human', content: text }] };
  const join = async () => {
    const [run] = await client.runs.list(threadId, { status: 'running', limit: 1 });
    await stream.joinStream(run.run_id);
  };
  const sendHere = () => stream.submit(message, { checkpoint: stream.history.at(-1).checkpoint });
  return (
    <main data-loading={stream.isLoading}>
      <input aria-label="Text" value={text} onChange={(event) => setText(event.target.value)} />
      <Button name="Send" act={() => stream.submit(message, { streamSubgraphs: showsSubagents })} />
      <Button name="Send here" act={sendHere} />
      <Button name="Interrupt with" act={() => stream.submit(message, { multitaskStrategy: 'interrupt' })} />
      <Button name="Stop" act={() => stream.stop()} />
      <Button name="Join" act={join} />
      <h1>{stream.values.title}</h1>
      <ol>
        {stream.messages.map((shown) => (
          <Message key={shown.id} stream={stream} shown={shown} message={message} />
        ))}
      </ol>
      {showsSubagents && [...stream.subagents.values()].map((it) => <Subagent key={it.id} shown={it} />)}
      {stream.interrupt && <Question stream={stream} />}
      {stream.error && <pre role="alert">{String(stream.error)}</pre>}
    </main>
  );
}

function Subagent({ shown: { toolCall, status, messages } }) {
  const said = messages.map(({ type, content }) => `${type}: ${content}`).join(', ');
  return <aside>{`${toolCall.args.description}: ${status}: ${said}`}</aside>;
}

/** A message can be written anew from the checkpoint before it; the versions of it are branches. */
function Message({ stream, shown, message }) {
  const metadata = stream.getMessagesMetadata(shown);
  const checkpoint = metadata?.firstSeenState?.parent_checkpoint;
  const branches = metadata?.branchOptions ?? [];
  const branch = branches.indexOf(metadata?.branch);
  return (
    <li data-type={shown.type}>
      <p>{shown.content}</p>
      {shown.type === 'human' ? (
        <Button name="Edit" act={() => stream.submit(message, { checkpoint })} />
      ) : (
        <Button name="Regenerate" act={() => stream.submit(undefined, { checkpoint })} />
      )}
      {branches.length > 1 && (
        <>
          <output>{`${branch + 1}/${branches.length}`}</output>
          <Button name="Older" act={() => stream.setBranch(branches[branch - 1])} />
          <Button name="Newer" act={() => stream.setBranch(branches[branch + 1])} />
        </>
      )}
    </li>
  );
}

function Question({ stream }) {
  const decide = (decision) => stream.submit(undefined, { command: { resume: { decisions: [decision] } } });
  return (
    <section>
      <pre>{JSON.stringify(stream.interrupt)}</pre>
      <Button name="Approve" act={() => decide({ type: 'approve' })} />
      <Button name="Refuse" act={() => decide({ type: 'reject', message: 'not now' })} />
    </section>
  );
}

function Button({ name, act }) {
  return (
    <button type="button" onClick={act}>
      {name}
    </button>
  );
}

createRoot(document.getElementById('root')).render(<Chat />);
