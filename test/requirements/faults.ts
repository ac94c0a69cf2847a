// Faults that the service survives (docs/contract/recovery.md), by the ids that tests cite.
export const faultsRequirements = {
  'power.cut':
    'After a power cut, everything that was streamed, acknowledged or acted upon is there: runs, messages, files and pieces of replies; each interrupted run continues to one end.',
  'fault.points':
    'Killed at any durable write, and again during recovery, the service loses or duplicates no event, message or effect.',
  'fault.simulation':
    'In virtual time, with clients that come and go, owners that die, pause and return with clocks of their own, and a database that fails before or after acting, is restored or fails over, each run has one end, no spliced reply, and nothing is counted twice.',
  'neighbours.long-thread':
    'Removals, a branch and a deletion in a thread of 5,000 messages delay no other stream by 100 ms.',
  'neighbours.lock': 'A locked thread delays no other thread.',
  'fault.F01': 'kill -9 before the run row is committed: a retry with the same key creates one run.',
  'fault.F02': 'kill -9 after the run row: the restart takes the run up.',
  'fault.F03':
    'kill -9 between a model request and its first token: the model is called again as attempt 2, with one message.',
  'fault.F04': 'kill -9 anywhere in a reply: what was shown is in the log, nothing is lost or duplicated.',
  'fault.F05': 'kill -9 between a tool call and its tool: the tool runs once.',
  'fault.F06': 'kill -9 in a repeatable tool: it runs again with the same call id.',
  'fault.F07': 'kill -9 in a tool that may run once: its outcome is unknown, and it never runs again.',
  'fault.F08':
    "kill -9 between the effect of a tool and its result: the tool's declared effect decides whether it runs again.",
  'fault.F09':
    'kill -9 in sub-agents, three in parallel and one nested: finished work is not repeated, the rest continues.',
  'fault.F10': 'kill -9 while a run waits for approval: it still waits, costs nothing, and approval works.',
  'fault.F11':
    'kill -9 while a title or a summary is written: the old or the new one is there, never half; messages are intact.',
  'fault.hooks':
    'kill -9 in the first hooks of a run: those that had changed nothing run again when the run is taken up.',
  'fault.upload':
    'kill -9 during an upload leaves whole files or none, and no draft; repeating the upload works.',
  'fault.snapshot':
    'kill -9 at any step of a snapshot leaves contents that match their hashes, and changes that can be listed and undone.',
  'fault.restore': 'kill -9 at any step of a restore leaves whole files; repeating the restore completes it.',
  'fault.legacy': 'kill -9 while files move from the ownerless folder leaves each in one of the two places.',
  'fault.F12':
    'kill -9 while a file is written: the old or the new one is there, drafts are removed, and a retry works.',
  'fault.F13': 'kill -9 during a migration: the next start finds all of it or nothing, and continues.',
  'fault.F14':
    'kill -9 while a thread is deleted: it is whole, or its deletion is finished after the restart; copies stay.',
  'fault.F15':
    'SIGTERM with 50 active runs: they are handed over without losing an attempt, none fails, and the process exits in time.',
  'fault.F16':
    'A restart with many running runs resumes all of them at a pace that the provider can take; new runs start immediately.',
  'fault.F17':
    'A run that kills the process each time ends after three attempts; its thread and other runs continue.',
  'fault.F18':
    'While the database is unreachable, even longer than leases last, streams wait and requests get 503 with Retry-After; nothing is lost or done twice.',
  'fault.F19':
    'When connections break in mid-transaction, every request gets its normal response and counts once.',
  'fault.F20': 'While another program locks the database, everything waits and nothing fails.',
  'fault.F21':
    'When the disk is full from the n-th write on, new runs are 503, and running ones wait and continue when there is space.',
  'fault.F25': 'An owner that paused while its run was taken over is fenced: there is one reply.',
  'fault.F26': 'An owner whose event loop is blocked is replaced, and fenced when it resumes.',
  'fault.F27': 'A clock that jumps changes times, but neither leases nor the order of runs.',
  'fault.F27.workers':
    'Workers whose clocks differ by hours agree on what is newest, what is due and who is signed in.',
  'fault.F28': 'A reader that disconnects after every frame sees each frame once, and the run continues.',
  'fault.F29':
    'With an id that is too old, from the future, foreign or malformed, a reader starts from the beginning or gets 404; it never sees events of others.',
  'fault.F30': '30 days after its end a run is shown in full; an EventSource that has seen the end gets 204.',
  'fault.F31': 'A reader that does not read holds at most 64 KB; other readers get everything.',
  'fault.F32': 'A reader whose connection no longer accepts data is disconnected.',
  'fault.F35': 'Joining a run of 10,000 events reads its stream once, page by page.',
  'fault.F36': 'What a turn writes does not grow with the thread.',
  'fault.F40': 'A request that is sent twice creates one run.',
  'fault.F41':
    'A run can be cancelled while it waits, at its first token, in a tool, after its end, twice, and from another process.',
  'fault.F42': 'When cancellation races with completion, the run has exactly one end.',
  'fault.F43': 'A rolled-back run is removed from the state, and its events stay.',
  'fault.F44': '20 enqueued messages run in strict order, each once, and are visible and removable.',
  'fault.F45':
    'Copies of copies survive the deletion of their sources; a thread cannot be edited during a run.',
  'fault.F46':
    'When a thread is deleted while it streams, the stream ends, and nothing is written afterwards.',
  'fault.F47': 'After a rate limit, the request is repeated when the provider allows it.',
  'fault.F48': 'A provider that fails before its first token is called again, at most three times.',
  'fault.F49': 'Missing headers, a missing first token and silence in mid-reply each have a time limit.',
  'fault.F50': 'Arguments that do not parse are never stored; the model is called once more.',
  'fault.F51':
    'With unknown tools, duplicate or missing ids, and huge or many calls, each call gets one result, and the next turn is valid.',
  'fault.F52':
    'A prompt that is too long for the model is summarised and sent once more; the thread keeps its messages.',
  'fault.F53':
    'Calls without results, results without calls and a change of provider never produce an invalid prompt.',
} as const;
