// The faults that the service survives (docs/contract/recovery.md), by the ids that tests cite.
export const faultsRequirements = {
  'power.cut':
    'After a power cut, whatever was streamed, acknowledged or acted upon is there: runs, messages, files and pieces of answers; interrupted runs go on to one end.',
  'fault.points':
    'Killed at any durable write, and again while it recovers: no event, message or effect is lost or doubled.',
  'fault.simulation':
    'In virtual time: clients that come and go, owners that die, sleep and come back with clocks of their own, a database that fails before and after it has acted, and one that is put back or failed over: one end, no splice, nothing counted twice.',
  'neighbours.long-thread':
    'Removals, a branch and a deletion in a thread of 5,000 messages hold up no other stream for 100 ms.',
  'neighbours.lock': 'A thread that somebody holds locked waits alone.',
  'fault.F01': 'kill -9 before the run row is committed: a retry with the same key makes one run.',
  'fault.F02': 'kill -9 after the run row: the restart takes the run up.',
  'fault.F03': 'kill -9 between a model request and its first token: asked again, attempt 2, one message.',
  'fault.F04':
    'kill -9 in the middle of an answer, anywhere: what was shown is in the log, nothing is lost or doubled.',
  'fault.F05': 'kill -9 between a tool call and its tool: the tool runs once.',
  'fault.F06': 'kill -9 in a tool that may be repeated: it is run again under the same call id.',
  'fault.F07': 'kill -9 in a tool that may run once: its outcome is unknown, and it is never called twice.',
  'fault.F08': 'kill -9 between the effect of a tool and its result: as its effect says.',
  'fault.F09':
    'kill -9 in sub-agents, three at a time and one inside another: what is done is not repeated, the rest goes on.',
  'fault.F10': 'kill -9 while a run waits for approval: it still waits, costs nothing, and approval works.',
  'fault.F11':
    'kill -9 while a title or a summary is written: the old one or the new one, never half; messages intact.',
  'fault.hooks':
    'A kill among the first hooks of a run: those that changed nothing yet run when the run is taken up.',
  'fault.upload':
    'A kill while files are handed in leaves whole files or none, and no draft; handing in again works.',
  'fault.snapshot':
    'A kill at any step of a snapshot leaves contents that are what their names say, and changes that can be told and undone.',
  'fault.restore': 'A kill at any step of a restore leaves whole files; asked for again, it ends as asked.',
  'fault.legacy':
    'A kill while files are moved from the place without an owner leaves them in one of the two.',
  'fault.F12':
    'kill -9 while a file is written: it is the old or the new one, drafts are swept, and trying again works.',
  'fault.F13': 'kill -9 during a migration: the next start finds all of it or nothing, and goes on.',
  'fault.F14':
    'kill -9 while a thread is deleted: it is whole, or its deletion is finished after the restart; copies stay.',
  'fault.F15': 'SIGTERM with 50 active runs: handed over without a lost attempt, none fails, exit in time.',
  'fault.F16':
    'A restart with many running runs resumes all of them at a pace that the provider bears; new runs start at once.',
  'fault.F17':
    'A run that kills the process each time ends after three attempts; its thread and others go on.',
  'fault.F18':
    'A database that is away, also for longer than leases last: streams wait, requests get 503 with Retry-After, nothing is lost and nothing done twice.',
  'fault.F19':
    'Connections that break in mid-transaction: every request is answered as if none had, and counts once.',
  'fault.F20': 'A database that another program locks: everything waits, nothing fails.',
  'fault.F21':
    'A full disk from the n-th write on: new runs are 503, running ones wait and go on when there is space.',
  'fault.F25': 'An owner that stood still while its run was taken over is fenced: one answer.',
  'fault.F26': 'An owner whose event loop is blocked is replaced, and fenced when it goes on.',
  'fault.F27': 'A clock that jumps changes times, neither leases nor the order of runs.',
  'fault.F27.workers':
    'Workers whose clocks differ by hours agree on what is newest, what is due and who is signed in.',
  'fault.F28': 'A reader that leaves after every frame sees each frame once, and the run goes on.',
  'fault.F29':
    'An id too old, from the future, foreign or none: from the start, or 404; never events of others.',
  'fault.F30':
    '30 days after its end a run is shown whole; an EventSource that has seen the end is answered 204.',
  'fault.F31': 'A reader that does not read holds at most 64 KB; its neighbours get everything.',
  'fault.F32': 'A reader whose connection takes nothing any more is given up.',
  'fault.F35': 'Joining a run of 10,000 events reads its stream once, page by page.',
  'fault.F36': 'What a turn writes does not grow with the thread.',
  'fault.F40': 'A request that is sent twice makes one run.',
  'fault.F41':
    'A run is cancelled while it waits, at its first token, in a tool, after its end, twice, from another process.',
  'fault.F42': 'Cancelling against completion: exactly one end.',
  'fault.F43': 'A rolled back run leaves the state, and its events stay.',
  'fault.F44': '20 enqueued messages: strict order, each once, visible, removable.',
  'fault.F45': 'Copies of copies survive their origins; a thread in a run is not edited under it.',
  'fault.F46': 'A thread that is deleted while it streams: the stream ends, and nothing comes back.',
  'fault.F47': 'A provider that limits the rate is waited for as long as it asks.',
  'fault.F48': 'A provider that fails before its first token is asked again, at most three times.',
  'fault.F49': 'No headers, no first token, silence in mid-answer: each has its own time limit.',
  'fault.F50': 'Arguments that do not parse are never stored; the answer is asked for once more.',
  'fault.F51':
    'Unknown tools, doubled or missing ids, huge and many calls: one result each, and a valid next turn.',
  'fault.F52':
    'A prompt that is too long for the model is summarised and sent once more; the thread stays as it was said.',
  'fault.F53':
    'Calls without results, results without calls and a change of providers make no invalid prompt.',
} as const;
