// Requirements of agents that people define, by the ids that tests cite.
export const agentsRequirements = {
  'agents.crud':
    'A person creates, reads, changes and deletes agents with a description, model, tool groups, skills and soul.',
  'agents.names':
    "Names consist of lower-case letters, digits and single hyphens, 64 characters at most; the lead agent's name is reserved; a name already in use is a 409.",
  'agents.limits':
    'Texts, lists and the number of agents are limited; an unknown model or tool group is a 422 that lists the existing ones.',
  'agents.versions':
    'Each change creates a version that stays readable; a change to the same values creates none.',
  'agents.share':
    'When an administrator shares an agent, others can read, use and export it, but not change it; the audit log records the sharing.',
  'agents.file': 'An agent is exported as one JSON file and imported under its own or another name.',
  'agents.runs': 'A run names an agent as its assistant_id, under both prefixes.',
  'agents.soul':
    'The soul follows the rules in the system prompt, and can neither close its own section nor imitate another one.',
  'agents.restricts':
    'The runs of an agent get its model, tool groups and skills and no others; this includes sub-agents and plan mode.',
  'agents.absent':
    'An unknown agent is a 404; for a deleted one, a sentence says so, and its threads stay readable.',
  'agents.pinned':
    'A run keeps the version of the agent that it started with, even if the agent is changed or deleted.',
  'agents.free': 'A run of the lead agent makes no database query about agents.',
} as const;
