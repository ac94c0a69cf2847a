// Requirements of sub-agents, by the ids that tests cite.
export const subagentsRequirements = {
  'subagents.task':
    'The task tool gives a sub-agent one task: it sees only its prompt, and its last message is the result.',
  'subagents.tools': 'A sub-agent has the tools of the lead agent except questions and further sub-agents.',
  'subagents.off': 'subagent_enabled of a run, or the configuration, disables the task tool.',
  'subagents.stream':
    'With stream_subgraphs frames of sub-agents carry their namespace; without it they are not sent.',
  'subagents.modes': 'Every mode shows sub-agents like the lead agent, in their namespace.',
  'subagents.progress':
    'task_started, task_running and one of task_completed, task_failed ... are always sent as custom events.',
  'subagents.parallel': 'Sub-agents work in parallel, as many as configured; the others wait.',
  'subagents.depth': 'Sub-agents can be nested only as deep as configured.',
  'subagents.approval':
    'A sub-agent whose tool needs approval interrupts the run, and continues from the same point after the answer.',
  'subagents.approval.order': 'Questions of several sub-agents are in the order of their tasks.',
  'subagents.failure': 'A failed sub-agent is a failed tool call; the run continues.',
  'subagents.limits': 'A sub-agent ends at its limit of steps or time, and returns its text so far.',
  'subagents.record.task': "A run's events with the task_id of a sub-agent are those of that sub-agent.",
  'subagents.record':
    'subagent_start, subagent_step and subagent_end are recorded; tokens of sub-agents are counted separately.',
  'subagents.history': 'The checkpoints of a namespace are listed by checkpoint_ns, and only there.',
  'subagents.retention': 'After the retention, the sub-agents of a run are shown with whole messages.',
  'subagents.protocol':
    'Agent Protocol v2 shows sub-agents in their namespaces, from started to completed, with the call that started them.',
  'subagents.configured':
    'A configured kind of sub-agent has its own instructions, model, tools and limits, and is listed in the task tool.',
  'subagents.configured.skills':
    'A configured kind with a list of skills can use only those, if the run has them.',
  'subagents.configured.bad':
    'A configured kind with an unknown model or an invalid name prevents the start.',
} as const;
