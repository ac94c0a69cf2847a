// What sub-agents promise, by the ids that tests cite.
export const subagentsRequirements = {
  'subagents.task':
    'The task tool gives a sub-agent one task: it sees its prompt alone, and its last message is the result.',
  'subagents.tools': 'A sub-agent has the tools of the lead agent but for questions and further sub-agents.',
  'subagents.off': 'subagent_enabled of a run, or the configuration, takes the task tool away.',
  'subagents.stream':
    'With stream_subgraphs frames of sub-agents carry their namespace; without it they are not sent.',
  'subagents.modes': 'Every mode shows sub-agents as it shows the lead agent, in their namespace.',
  'subagents.progress':
    'task_started, task_running and one of task_completed, task_failed ... always come as custom events.',
  'subagents.parallel': 'Sub-agents work at the same time, as many as configured; the others wait.',
  'subagents.depth': 'Sub-agents have sub-agents only as deep as configured.',
  'subagents.approval':
    'A sub-agent whose tool needs approval makes the run wait, and goes on where it stood when it is given.',
  'subagents.approval.order': 'What several sub-agents ask comes in the order of their tasks.',
  'subagents.failure': 'A sub-agent that fails is a failed tool call; the run goes on.',
  'subagents.limits': 'A sub-agent ends at its limit of steps or time, with what it has said by then.',
  'subagents.record.task': 'The events of a run are those of one of its sub-agents with task_id.',
  'subagents.record':
    'subagent_start, subagent_step and subagent_end are recorded; its tokens are counted apart.',
  'subagents.history': "A namespace's checkpoints are listed by checkpoint_ns, and only there.",
  'subagents.retention': 'Long after the run its sub-agents are shown with whole messages.',
  'subagents.protocol':
    'Agent Protocol v2 tells sub-agents in their namespaces, from started to completed, with the call that began them.',
  'subagents.configured':
    'A configured kind of sub-agent has its own words, model, tools and limits, and is named in the task tool.',
  'subagents.configured.skills':
    'A configured kind with a list of skills is told of those of the run that it names, and works with no others.',
  'subagents.configured.bad': 'A configured kind with an unknown model or a wrong name stops the start.',
} as const;
